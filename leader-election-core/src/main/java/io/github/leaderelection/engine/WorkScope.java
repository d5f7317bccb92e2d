package io.github.leaderelection.engine;

import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The time that a thread spends working for something: a gated call, a callback of a
 * candidate, a recorded run, or a leadership that another thread handed to it along with
 * the work. The scopes of a thread are nested.
 * <p>
 * A scope belongs to the thread that entered it. Other threads can only interrupt that
 * thread, and not once it has left the scope.
 */
public class WorkScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable WorkScope> CURRENT = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable WorkScope outer = CURRENT.get();

	/** The outermost scope of the thread, whose lock guards its interrupts. */
	private final WorkScope outermost = (this.outer != null) ? this.outer.outermost : this;

	private final Object work;

	private final boolean handed;

	// Written under the lock of this

	/** Whether the thread was interrupted for this scope. */
	private volatile boolean interrupted;

	private boolean left;

	// Of the outermost scope, written under its lock

	/** How often {@link #deferInterrupts()} was called without its counterpart. */
	private int deferring;

	/** Whether the thread must be interrupted afterwards. */
	private boolean deferred;

	WorkScope(Object work, boolean handed) {
		this.work = work;
		this.handed = handed;
	}

	/**
	 * Enter a new scope in the current thread.
	 * @param work what the thread works for
	 * @return the scope, to be closed by the same thread
	 */
	public static WorkScope enter(Object work) {
		return enter(new WorkScope(work, false));
	}

	/** Enter the given scope, which the current thread has just created. */
	static <S extends WorkScope> S enter(S scope) {
		CURRENT.set(scope);
		return scope;
	}

	/**
	 * Return what the current thread works for, from the innermost scope whose work has
	 * the given type.
	 * @param <T> the type
	 * @param type the type, such as {@link Leadership}
	 * @return what the thread works for, or {@code null} if no scope has work of this
	 * type
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
	 * Return the leadership under which the current thread itself began to work in an
	 * election. A leadership that was handed to it does not count, because the thread may
	 * keep that for long.
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
	 * Hand a leadership to the current thread. It replaces a leadership that was handed
	 * to it before in the innermost scope. The thread works under it until it is taken
	 * back, or until the enclosing scope ends.
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
	 * Defer interrupts of the current thread, including one that it may have now, until
	 * {@link #deliverInterrupts()} was called as often, or its outermost scope ends. For
	 * work that even a deposed leader has to finish, such as a rollback. Has no effect
	 * outside of all scopes.
	 */
	public static void deferInterrupts() {
		WorkScope innermost = CURRENT.get();
		if (innermost != null) {
			innermost.outermost.defer();
		}
	}

	/**
	 * Interrupt the current thread if an interrupt was deferred, unless others must still
	 * be deferred.
	 */
	public static void deliverInterrupts() {
		WorkScope innermost = CURRENT.get();
		if (innermost != null) {
			innermost.outermost.deliver();
		}
	}

	private synchronized void defer() {
		this.deferring++;
		this.deferred |= Thread.interrupted();
	}

	private synchronized void deliver() {
		this.deferring = Math.max(0, this.deferring - 1);
		if (this.deferring == 0 && this.deferred) {
			this.deferred = false;
			interruptThread();
		}
	}

	/**
	 * Leave this scope, and the scopes nested in it that the thread has failed to leave,
	 * for example after a stack overflow. Has no effect the second time, or in any other
	 * thread.
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

	/** Return whether one of the given scopes encloses this one. */
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
			if (this.deferring > 0) {
				this.deferring = 1;
				deliver();
			}
		}
		if (this.interrupted) {
			takeInterruptBack();
		}
		onLeft();
		// Last: if anything above fails, closing the enclosing scope tries again.
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Called when the thread leaves this scope. May be called again if leaving fails, so
	 * it must be repeatable.
	 */
	void onLeft() {
	}

	/**
	 * Clear the thread's interrupt flag, which all its scopes share, but set it again if
	 * an enclosing scope was interrupted as well. That is checked after the flag was
	 * cleared, so that a later interrupt is not lost.
	 */
	private void takeInterruptBack() {
		synchronized (this.outermost) {
			boolean unused = Thread.interrupted();
			this.outermost.deferred = false;
		}
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
			// Set first, so that a thread that finds itself interrupted also finds for
			// which scope.
			this.interrupted = true;
			interruptThread();
		}
	}

	private void interruptThread() {
		synchronized (this.outermost) {
			if (this.outermost.deferring > 0) {
				this.outermost.deferred = true;
				return;
			}
			try {
				this.thread.interrupt();
			}
			catch (Throwable ex) {
				// An application's own Thread subclass may override interrupt() and
				// throw.
			}
		}
	}

	boolean wasInterrupted() {
		return this.interrupted;
	}

}
