package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LossReason;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The orders in which threads may step through a {@link Term} while its clocks move: a
 * term that any thread has seen to be over is never held again, nor extended, nor over
 * for another reason.
 */
@Tag("deep")
@Tag("lincheck")
class TermConcurrencyTests {

	private static final Duration BELIEF = Duration.ofSeconds(9);

	private final ModelCheckingOptions options = new ModelCheckingOptions().iterations(10)
		.invocationsPerIteration(150)
		.threads(3)
		.actorsPerThread(2)
		.actorsBefore(0)
		.actorsAfter(1);

	@Test
	void termThatIsOverStaysOver() {
		this.options.check(TermCalls.class);
	}

	@Test
	void termThatChecksAndThenActsIsCaught() {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> this.options.check(CarelessTermCalls.class))
			.withMessageContaining("came back");
	}

	/** What application threads, the timer and the loop do to a term. */
	public abstract static class Calls {

		private static final String FINE = "fine";

		private final JumpingClock clock = new JumpingClock();

		private volatile @Nullable LossReason seen;

		abstract @Nullable LossReason lossReason();

		abstract boolean tryExtend(Moment deadline);

		abstract void endWith(LossReason reason);

		@Operation
		public String look() {
			LossReason before = this.seen;
			LossReason now = lossReason();
			if (before != null && now != before) {
				return "came back";
			}
			this.seen = now;
			return FINE;
		}

		@Operation
		public String extend() {
			LossReason before = this.seen;
			return tryExtend(later(2)) && before != null ? "came back" : FINE;
		}

		@Operation
		public void end() {
			endWith(LossReason.RESIGNED);
		}

		@Operation
		public void timePasses() {
			this.clock.now = later(1);
		}

		/** The monotonic clock goes on. */
		@Operation
		public void wallClockIsSetBack() {
			this.clock.now = new Moment(this.clock.now.nanos(), 0);
		}

		@Operation
		public void wallClockIsSetForward() {
			this.clock.now = new Moment(this.clock.now.nanos(), later(1).millis());
		}

		final EngineClock clock() {
			return this.clock;
		}

		static Moment later(int beliefs) {
			return new Moment(0, 0).plus(BELIEF.multipliedBy(beliefs));
		}

	}

	/** The real one. */
	public static class TermCalls extends Calls {

		private final Term term = new Term("x", "me", 1, later(1), clock(), Runnable::run, EngineObservers.NONE);

		@Override
		@Nullable LossReason lossReason() {
			return this.term.lossReason().orElse(null);
		}

		@Override
		boolean tryExtend(Moment deadline) {
			return this.term.extend(deadline);
		}

		@Override
		void endWith(LossReason reason) {
			this.term.end(reason);
		}

	}

	/** A term that looks first, and then writes what follows from it. */
	public static class CarelessTermCalls extends Calls {

		private final AtomicReference<LossReason> endedBy = new AtomicReference<>();

		private volatile Moment deadline = later(1);

		@Override
		@Nullable LossReason lossReason() {
			if (this.endedBy.get() == null && this.deadline.hasComeAt(clock().nanos(), clock().millis())) {
				this.endedBy.set(LossReason.EXPIRED);
			}
			return this.endedBy.get();
		}

		@Override
		boolean tryExtend(Moment newDeadline) {
			if (lossReason() != null) {
				return false;
			}
			this.deadline = newDeadline;
			return true;
		}

		@Override
		void endWith(LossReason reason) {
			if (lossReason() == null) {
				this.endedBy.set(reason);
			}
		}

	}

	private static final class JumpingClock implements EngineClock {

		private volatile Moment now = new Moment(0, 0);

		@Override
		public long nanos() {
			return this.now.nanos();
		}

		@Override
		public long millis() {
			return this.now.millis();
		}

	}

}
