package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held for as long as its term, unless it is closed before.
 */
final class TermLock implements HeldLock {

	private final Leadership term;

	private final Consumer<TermLock> release;

	/** How it was closed, once it was. */
	private final AtomicReference<@Nullable Closing> closed = new AtomicReference<>();

	private final AtomicBoolean lossTold = new AtomicBoolean();

	/**
	 * Create a lock.
	 * @param release gives it back, once; throws nothing
	 */
	TermLock(Leadership term, Consumer<TermLock> release) {
		this.term = term;
		this.release = release;
	}

	/** Return what it is held for. */
	Leadership leadership() {
		return this.term;
	}

	/** Return whether it is this term that the lock is held for. */
	boolean isOf(Leadership other) {
		return this.term == other;
	}

	boolean isClosed() {
		return this.closed.get() != null;
	}

	/**
	 * Return why it was lost before it was closed, the first time this is asked for.
	 * @return the reason, {@code null} if there is none or it was returned before
	 */
	@Nullable LossReason untoldLoss() {
		Closing closing = this.closed.get();
		LossReason lost = (closing != null) ? closing.lost() : this.term.lossReason().orElse(null);
		return (lost != null && this.lossTold.compareAndSet(false, true)) ? lost : null;
	}

	@Override
	public String name() {
		return this.term.election();
	}

	@Override
	public String leaseId() {
		return this.term.leaseId();
	}

	@Override
	public String candidateId() {
		return this.term.candidateId();
	}

	@Override
	public long term() {
		return this.term.term();
	}

	@Override
	public boolean isHeld() {
		return !isClosed() && this.term.isHeld();
	}

	@Override
	public boolean isEnding() {
		return isClosed() || this.term.isEnding();
	}

	@Override
	public Duration remaining() {
		return isClosed() ? Duration.ZERO : this.term.remaining();
	}

	@Override
	public Optional<LossReason> lossReason() {
		Closing closing = this.closed.get();
		return (closing != null) ? Optional.of(closing.reason()) : this.term.lossReason();
	}

	@Override
	public Registration onLost(Consumer<LossReason> callback) {
		// A term that is given back ends soon after the lock was closed.
		return this.term.onLost((reason) -> {
			Closing closing = this.closed.get();
			callback.accept((closing != null) ? closing.reason() : reason);
		});
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(null, new Closing(this.term.lossReason().orElse(null)))) {
			this.release.accept(this);
		}
	}

	@Override
	public String toString() {
		return "HeldLock[name=%s, term=%d, holder=%s]".formatted(name(), term(), candidateId());
	}

	/**
	 * How a lock was closed.
	 *
	 * @param lost why it was lost before, {@code null} if it was held
	 */
	private record Closing(@Nullable LossReason lost) {

		LossReason reason() {
			return Objects.requireNonNullElse(this.lost, LossReason.RESIGNED);
		}

	}

}
