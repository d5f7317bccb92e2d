package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
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

	/** Why it is not held any more, once it was closed. */
	private final AtomicReference<@Nullable LossReason> closed = new AtomicReference<>();

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
		LossReason reason = this.closed.get();
		return (reason != null) ? Optional.of(reason) : this.term.lossReason();
	}

	@Override
	public Registration onLost(Consumer<LossReason> callback) {
		// A term that is given back ends soon after the lock was closed.
		return this.term.onLost((reason) -> callback.accept(Objects.requireNonNullElse(this.closed.get(), reason)));
	}

	@Override
	public void close() {
		LossReason before = this.term.lossReason().orElse(LossReason.RESIGNED);
		if (this.closed.compareAndSet(null, before)) {
			this.release.accept(this);
		}
	}

	@Override
	public String toString() {
		return "HeldLock[name=%s, term=%d, holder=%s]".formatted(name(), term(), candidateId());
	}

}
