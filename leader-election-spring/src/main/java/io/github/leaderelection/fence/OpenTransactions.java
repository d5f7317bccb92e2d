package io.github.leaderelection.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The fenced transactions of a subscriber that are in progress, shared by all that is
 * gated or fenced in one subscription. None of them may be cancelled: what is under way
 * then could be done after the rollback, outside of the transaction. Safe for use by any
 * thread. Needs Reactor: not to be loaded without.
 */
public final class OpenTransactions {

	private final Object lock = new Object();

	// Guarded by the lock.

	private int count;

	private List<Runnable> waiting = new ArrayList<>();

	private OpenTransactions() {
	}

	/**
	 * Return the transactions of a subscriber.
	 * @param context the context of the subscriber
	 * @return its transactions; new ones, of which the context does not know yet, if it
	 * has none
	 */
	public static OpenTransactions in(ContextView context) {
		OpenTransactions present = context.getOrDefault(OpenTransactions.class, null);
		return (present != null) ? present : new OpenTransactions();
	}

	/**
	 * Return a context that knows of these.
	 * @param context the context of the subscriber
	 * @return the context for what is subscribed to inside
	 */
	public Context within(Context context) {
		return context.put(OpenTransactions.class, this);
	}

	/**
	 * Return when there is none.
	 * @return completes once no fenced transaction is in progress: at once, or in the
	 * thread that ends the last one. Who has lost the leadership before begins no other.
	 */
	public Mono<Void> none() {
		return Mono.create((sink) -> whenNone(sink::success));
	}

	private void whenNone(Runnable action) {
		synchronized (this.lock) {
			if (this.count > 0) {
				this.waiting.add(action);
				return;
			}
		}
		action.run();
	}

	/**
	 * Note that a transaction is about to begin.
	 * @return to be closed when it has ended
	 */
	Opened open() {
		synchronized (this.lock) {
			this.count++;
		}
		return new Opened();
	}

	private void ended() {
		List<Runnable> actions;
		synchronized (this.lock) {
			if (--this.count > 0) {
				return;
			}
			actions = this.waiting;
			this.waiting = new ArrayList<>();
		}
		actions.forEach(Runnable::run);
	}

	/** A transaction in progress. */
	final class Opened implements AutoCloseable {

		private final AtomicBoolean closed = new AtomicBoolean();

		private Opened() {
		}

		/** Note that it has ended. Has no effect the second time. */
		@Override
		public void close() {
			if (this.closed.compareAndSet(false, true)) {
				ended();
			}
		}

	}

}
