package io.github.leaderelection.lock;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * A lock that was acquired. It stays held, and is kept alive by itself, until it is
 * {@linkplain #close() closed}, or lost because this process could not reach the store in
 * time.
 * <p>
 * It is not held any more as soon as it was closed, for the reason
 * {@link LossReason#RESIGNED}, or was lost: {@link #isHeld()} turns false by itself
 * before anybody else can hold the lock, and {@link #requireHeld()} throws a
 * {@link LockLostException}.
 * <p>
 * It is a {@link Leadership}: of an election of one's own, for as long as the lock is
 * held. So whatever fences writes by a leadership fences them by a lock, too: its
 * {@linkplain #term() term} is greater than that of whoever has held a lock of that name
 * before.
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
	 * Give the lock back. It is not held any more when this method returns; that others
	 * can acquire it follows in the background. Has no effect the second time, or when
	 * the lock was lost. Throws nothing, does not block, and may be called by any thread.
	 */
	@Override
	void close();

}
