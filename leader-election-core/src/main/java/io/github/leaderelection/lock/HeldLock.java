package io.github.leaderelection.lock;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * A lock that was acquired. It is renewed automatically, and stays held until it is
 * {@linkplain #close() closed}, or lost because this process could not reach the store in
 * time.
 * <p>
 * As soon as it is closed, for the reason {@link LossReason#RESIGNED}, or lost, it is not
 * held any more: {@link #isHeld()} turns false by itself before another holder can have
 * the lock, and {@link #requireHeld()} throws a {@link LockLostException}.
 * <p>
 * A held lock is a {@link Leadership} of an election of its own. So writes that can be
 * fenced with a leadership can be fenced with a lock, too: its {@linkplain #term() term}
 * is greater than that of every earlier holder of a lock of that name.
 */
public interface HeldLock extends Leadership, AutoCloseable {

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return the name of the lock.
	 */
	@Override
	default String election() {
		return name();
	}

	@Override
	default LockLostException lostException() {
		return new LockLostException(this);
	}

	/**
	 * Release the lock. It is not held any more when this method returns. The release is
	 * stored in the background, and then others can acquire the lock. A second call has
	 * no effect. If the lock was lost, this only ends its safety margin early. Throws
	 * nothing, does not block, and may be called by any thread.
	 */
	@Override
	void close();

}
