package io.github.leaderelection.engine;

import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The time that a thread spends with what it works for: a gated call, a callback of a
 * candidate, a recorded run, or a leadership that was handed to it by another thread
 * whose work it goes on with. The scopes of a thread are inside each other.
 * <p>
 * A scope belongs to the thread that has entered it. Others may only interrupt that
 * thread, and never once it has left.
 */
public final class WorkScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable WorkScope> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable WorkScope outer = CURRENT.get();

	private final Object work;

	private final boolean handed;

	private final @Nullable Runnable onLeft;

	// Written under the lock of this

	/** Whether the thread was interrupted for this scope. */
	private volatile boolean interrupted;

	private volatile boolean leftBehind;

	private volatile boolean left;

	private WorkScope(Object work, boolean handed, @Nullable Runnable onLeft) {
		this.work = work;
		this.handed = handed;
		this.onLeft = onLeft;
	}

	/**
	 * Let the current thread work for this.
	 * @param work what it works for
	 * @return the scope, to be closed by the same thread
	 */
	public static WorkScope enter(Object work) {
		return enter(work, null);
	}

	/**
	 * Let the current thread work for this.
	 * @param onLeft run when it leaves, again if that fails: must not mind
	 */
	static WorkScope enter(Object work, @Nullable Runnable onLeft) {
		WorkScope scope = new WorkScope(work, false, onLeft);
		CURRENT.set(scope);
		return scope;
	}

	/**
	 * Return the innermost of what the current thread works for that is of this type.
	 * @param <T> the type
	 * @param type the type, such as {@link Leadership}
	 * @return what it works for, or {@code null} if there is nothing of this type
	 */
	public static <T> @Nullable T find(Class<T> type) {
		for (WorkScope each = CURRENT.get(); each != null; each = each.outer) {
			if (type.isInstance(each.work)) {
				return type.cast(each.work);
			}
		}
		return null;
	}

	/**
	 * Hand the current thread a leadership, in place of one that it was handed before in
	 * the innermost scope. It works in its name until that is taken back, or the scope
	 * around it ends.
	 * @param leadership the leadership
	 */
	public static void hand(Leadership leadership) {
		takeBack();
		if (find(Leadership.class) != leadership) {
			CURRENT.set(new WorkScope(leadership, true, null));
		}
	}

	/**
	 * Take back the leadership that the current thread was handed in the innermost scope,
	 * if there is one.
	 */
	public static void takeBack() {
		WorkScope innermost = CURRENT.get();
		if (innermost != null && innermost.handed) {
			innermost.close();
		}
	}

	/**
	 * Leave the scope, and those inside it that the thread has not left, as where the
	 * stack was at its end. Has no effect the second time, and in any other thread.
	 */
	@Override
	public void close() {
		if (isAroundCurrent()) {
			WorkScope innermost = CURRENT.get();
			while (innermost != null && innermost != this) {
				innermost.leave();
				innermost = innermost.outer;
			}
			leave();
		}
	}

	/** Return whether the current thread is in this scope. */
	boolean isAroundCurrent() {
		WorkScope each = CURRENT.get();
		while (each != null && each != this) {
			each = each.outer;
		}
		return each != null;
	}

	private void leave() {
		synchronized (this) {
			this.left = true;
		}
		if (this.interrupted) {
			takeInterruptBack();
		}
		if (this.onLeft != null) {
			this.onLeft.run();
		}
		// Last: if anything has failed, whoever closes the scope around this tries again.
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * There is one flag for all scopes of a thread: those around this must not miss their
	 * own interrupt. Asked after the flag was cleared: an interrupt that comes later
	 * stays.
	 */
	private void takeInterruptBack() {
		boolean unused = Thread.interrupted();
		for (WorkScope each = this.outer; each != null; each = each.outer) {
			if (each.interrupted) {
				interrupt(this.thread);
				return;
			}
		}
	}

	/**
	 * Interrupt the thread, once, unless it has left or was left behind. Tried again the
	 * next time if it fails.
	 */
	synchronized void interrupt() {
		if (!this.left && !this.leftBehind && !this.interrupted) {
			// Before, so that nobody finds it interrupted and does not know by whom.
			this.interrupted = true;
			this.interrupted = interrupt(this.thread);
		}
	}

	/**
	 * Interrupt a thread of the application.
	 * @return whether it is interrupted: a thread may do more than it is asked for, and
	 * fail
	 */
	private static boolean interrupt(Thread thread) {
		try {
			thread.interrupt();
			return true;
		}
		catch (Throwable ex) {
			return isInterrupted(thread);
		}
	}

	private static boolean isInterrupted(Thread thread) {
		try {
			return thread.isInterrupted();
		}
		catch (Throwable ex) {
			return false;
		}
	}

	boolean wasInterrupted() {
		return this.interrupted;
	}

	/**
	 * Interrupt the thread no more, if it is one of these and still in this scope.
	 * @return whether it is
	 */
	synchronized boolean leaveBehind(Set<Thread> threads) {
		boolean found = !this.left && threads.contains(this.thread);
		if (found) {
			this.leftBehind = true;
		}
		return found;
	}

	boolean isLeftBehind() {
		return this.leftBehind;
	}

	/** Add the thread, if it is in this scope. */
	void addThread(Set<Thread> threads) {
		if (!this.left) {
			threads.add(this.thread);
		}
	}

}
