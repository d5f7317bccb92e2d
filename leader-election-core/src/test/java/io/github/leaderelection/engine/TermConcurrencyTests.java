package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Checks the interleavings of threads in a {@link Term} and its {@link Deadline} while
 * the clocks move. Once any thread has seen that a term is over, it is never held again,
 * and its reason never changes. A deadline that is over is never held or extended again.
 */
@Tag("deep")
@Tag("lincheck")
class TermConcurrencyTests {

	private static final Duration VALIDITY = Duration.ofSeconds(9);

	private final ModelCheckingOptions options = new ModelCheckingOptions().iterations(10)
		.invocationsPerIteration(150)
		.threads(3)
		.actorsPerThread(2)
		.actorsBefore(0)
		.actorsAfter(1);

	@Test
	void expiredDeadlineStaysExpired() {
		this.options.check(RealDeadline.class);
	}

	@Test
	void checkThenActDeadlineIsCaught() {
		assertCaught(CarelessDeadline.class);
	}

	@Test
	void endedTermStaysEnded() {
		this.options.check(RealTerm.class);
	}

	@Test
	void forgetfulTermIsCaught() {
		assertCaught(ForgetfulTerm.class);
	}

	private void assertCaught(Class<? extends Calls> calls) {
		assertThatExceptionOfType(LincheckAssertionError.class).isThrownBy(() -> this.options.check(calls))
			.withMessageContaining("came back");
	}

	/** Operations on something that ends with time. */
	public abstract static class Calls {

		static final String FINE = "fine";

		static final String BROKEN = "came back";

		private final JumpingClock clock = new JumpingClock();

		private volatile @Nullable LossReason seen;

		abstract @Nullable LossReason endedBy();

		abstract boolean isHeld();

		abstract void endWith(LossReason reason);

		@Operation
		public String look() {
			LossReason before = this.seen;
			LossReason now = endedBy();
			if ((before != null && now != before) || (now != null && isHeld())) {
				return BROKEN;
			}
			this.seen = now;
			return FINE;
		}

		@Operation
		public void end() {
			endWith(LossReason.RESIGNED);
		}

		@Operation
		public void timePasses() {
			this.clock.now = later(1);
		}

		final boolean isSeenToBeOver() {
			return this.seen != null;
		}

		final JumpingClock clock() {
			return this.clock;
		}

		static Moment later(int times) {
			return new Moment(0, 0).plus(VALIDITY.multipliedBy(times));
		}

	}

	/** The operations of application threads, the timer and the loop on a deadline. */
	public abstract static class DeadlineCalls extends Calls {

		abstract boolean tryExtend(Moment deadline);

		@Operation
		public String extend() {
			boolean before = isSeenToBeOver();
			return tryExtend(later(2)) && before ? BROKEN : FINE;
		}

		/** Set the wall clock back, while the monotonic clock goes on. */
		@Operation
		public void wallClockIsSetBack() {
			clock().now = new Moment(clock().nanos(), 0);
		}

		@Operation
		public void wallClockIsSetForward() {
			clock().now = new Moment(clock().nanos(), later(1).millis());
		}

	}

	/** The real deadline. */
	public static class RealDeadline extends DeadlineCalls {

		private final Deadline deadline = new Deadline(later(1), clock());

		@Override
		@Nullable LossReason endedBy() {
			return this.deadline.endedBy();
		}

		@Override
		boolean isHeld() {
			return this.deadline.isHeldAt(clock().nanos(), clock().millis());
		}

		@Override
		boolean tryExtend(Moment deadline) {
			return this.deadline.extend(deadline);
		}

		@Override
		void endWith(LossReason reason) {
			this.deadline.end(reason);
		}

	}

	/** A deadline that checks first, and then acts on what it found. */
	public static class CarelessDeadline extends DeadlineCalls {

		private final AtomicReference<@Nullable LossReason> endedBy = new AtomicReference<>();

		private volatile Moment deadline = later(1);

		@Override
		@Nullable LossReason endedBy() {
			if (this.endedBy.get() == null && this.deadline.hasComeAt(clock().nanos(), clock().millis())) {
				this.endedBy.set(LossReason.EXPIRED);
			}
			return this.endedBy.get();
		}

		@Override
		boolean isHeld() {
			return endedBy() == null;
		}

		@Override
		boolean tryExtend(Moment newDeadline) {
			if (endedBy() != null) {
				return false;
			}
			this.deadline = newDeadline;
			return true;
		}

		@Override
		void endWith(LossReason reason) {
			if (endedBy() == null) {
				this.endedBy.set(reason);
			}
		}

	}

	/** Operations on a term, and on the session on which it depends. */
	public abstract static class TermCalls extends Calls {

		private final Deadline deadline = new Deadline(later(1), clock());

		@Operation
		public void endSession() {
			this.deadline.end(LossReason.TAKEN_OVER);
		}

		final Deadline session() {
			return this.deadline;
		}

	}

	/** The real term. */
	public static class RealTerm extends TermCalls {

		private final Term term = TestTerm.term("x", 1, session(), later(1_000), clock(), Runnable::run, () -> {
		});

		@Override
		@Nullable LossReason endedBy() {
			return this.term.lossReason().orElse(null);
		}

		@Override
		boolean isHeld() {
			return this.term.isHeld();
		}

		@Override
		void endWith(LossReason reason) {
			this.term.end(reason);
		}

	}

	/** A term that asks its session each time, and keeps no answer. */
	public static class ForgetfulTerm extends TermCalls {

		private final AtomicReference<@Nullable LossReason> ended = new AtomicReference<>();

		@Override
		@Nullable LossReason endedBy() {
			LossReason reason = this.ended.get();
			return (reason != null) ? reason : session().endedBy();
		}

		@Override
		boolean isHeld() {
			return endedBy() == null;
		}

		@Override
		void endWith(LossReason reason) {
			LossReason before = session().endedBy();
			this.ended.compareAndSet(null, (before != null) ? before : reason);
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
