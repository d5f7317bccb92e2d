package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * A lock that was acquired. It stays held, and is kept alive by itself, until it is
 * {@linkplain #close() closed}, or lost because this process could not reach the store in
 * time.
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

	/**
	 * Return whether the lock is held: it has neither been closed nor lost. Compares
	 * clocks and does no I/O, and turns false by itself before anybody else can hold the
	 * lock. Once false it is never true again.
	 */
	@Override
	boolean isHeld();

	/**
	 * Return how long the lock stays held if this process does not reach the store
	 * meanwhile.
	 */
	@Override
	Duration remaining();

	/**
	 * Require that the lock is still held.
	 * @throws LockLostException if it is not
	 */
	@Override
	default void requireHeld() {
		Leadership.super.requireHeld();
	}

	@Override
	default LockLostException lostException() {
		return new LockLostException(this);
	}

	/**
	 * Return why the lock is not held any more: {@link LossReason#RESIGNED} if it was
	 * closed.
	 */
	@Override
	Optional<LossReason> lossReason();

	/**
	 * Be told once when the lock is not held any more, whether it was closed or lost: the
	 * reason tells which.
	 */
	@Override
	Registration onLost(Consumer<LossReason> callback);

	/**
	 * Give the lock back. It is not held any more when this method returns; that others
	 * can acquire it follows in the background. Has no effect the second time, or when
	 * the lock was lost. Throws nothing, does not block, and may be called by any thread.
	 */
	@Override
	void close();

}
