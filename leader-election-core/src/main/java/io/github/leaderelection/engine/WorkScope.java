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
public class WorkScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable WorkScope> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable WorkScope outer = CURRENT.get();

	private final Object work;

	private final boolean handed;

	// Written under the lock of this

	/** Whether the thread was interrupted for this scope. */
	private volatile boolean interrupted;

	private boolean left;

	WorkScope(Object work, boolean handed) {
		this.work = work;
		this.handed = handed;
	}

	/**
	 * Let the current thread work for this.
	 * @param work what it works for
	 * @return the scope, to be closed by the same thread
	 */
	public static WorkScope enter(Object work) {
		return enter(new WorkScope(work, false));
	}

	/** Let the current thread be in this scope, which it has just made. */
	static <S extends WorkScope> S enter(S scope) {
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
	 * Return the leadership in whose name the current thread has begun to work in an
	 * election. One that it was handed does not count: it may be kept for long.
	 * @param election the election name
	 * @return the leadership, {@code null} if there is none
	 */
	public static @Nullable Leadership begun(String election) {
		for (WorkScope each = CURRENT.get(); each != null; each = each.outer) {
			if (!each.handed && each.work instanceof Leadership leadership && leadership.election().equals(election)) {
				return leadership;
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
			enter(new WorkScope(leadership, true));
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
			for (WorkScope each = CURRENT.get(); each != null && each != this; each = each.outer) {
				each.leave();
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

	/** Return whether one of these is around this scope. */
	boolean isInside(Set<? extends WorkScope> scopes) {
		WorkScope each = this.outer;
		while (each != null && !scopes.contains(each)) {
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
		onLeft();
		// Last: if anything has failed, whoever closes the scope around this tries again.
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/** The thread leaves. Called again if this fails: must not mind. */
	void onLeft() {
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
				interruptThread();
				return;
			}
		}
	}

	/** Interrupt the thread, once, unless it has left. */
	synchronized void interrupt() {
		if (!this.left && !this.interrupted) {
			// Before, so that nobody finds it interrupted and does not know by whom.
			this.interrupted = true;
			interruptThread();
		}
	}

	private void interruptThread() {
		try {
			this.thread.interrupt();
		}
		catch (Throwable ex) {
			// A thread of the application may do more than it is asked for, and fail.
		}
	}

	boolean wasInterrupted() {
		return this.interrupted;
	}

}
