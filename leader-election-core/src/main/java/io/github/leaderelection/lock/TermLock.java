package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held until it is closed or its term ends. It counts as work of that term
 * until it is closed, or until a safety margin after it was lost.
 */
final class TermLock implements HeldLock {

	private final GatedCall work;

	private final Consumer<TermLock> onClose;

	/** Set when the lock is closed: the reason why it was lost before, or RESIGNED. */
	private final AtomicReference<@Nullable LossReason> closed = new AtomicReference<>();

	/**
	 * Create a lock.
	 * @param onClose releases the lock; called once, throws nothing
	 */
	TermLock(GatedCall work, Consumer<TermLock> onClose) {
		this.work = work;
		this.onClose = onClose;
	}

	/** Return the term under which it is held. */
	Leadership leadership() {
		return this.work.leadership();
	}

	/**
	 * End the work of the term: as far as this process is concerned, others can have the
	 * lock.
	 */
	void endWork() {
		this.work.close();
	}

	@Override
	public String name() {
		return leadership().election();
	}

	@Override
	public String leaseId() {
		return leadership().leaseId();
	}

	@Override
	public String candidateId() {
		return leadership().candidateId();
	}

	@Override
	public long term() {
		return leadership().term();
	}

	private boolean isClosed() {
		return this.closed.get() != null;
	}

	@Override
	public boolean isHeld() {
		return !isClosed() && leadership().isHeld();
	}

	@Override
	public boolean isEnding() {
		return isClosed() || leadership().isEnding();
	}

	@Override
	public Duration remaining() {
		return isClosed() ? Duration.ZERO : leadership().remaining();
	}

	@Override
	public Optional<LossReason> lossReason() {
		return Optional.ofNullable(this.closed.get()).or(() -> leadership().lossReason());
	}

	@Override
	public Registration onLost(Consumer<LossReason> callback) {
		// The term ends soon after the lock was closed.
		return leadership().onLost((reason) -> callback.accept(lossReason().orElse(reason)));
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(null, leadership().lossReason().orElse(LossReason.RESIGNED))) {
			this.onClose.accept(this);
		}
	}

	@Override
	public String toString() {
		return "HeldLock[name=%s, term=%d, holder=%s]".formatted(name(), term(), candidateId());
	}

}
