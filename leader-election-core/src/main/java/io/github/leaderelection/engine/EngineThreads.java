package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The three threads of an engine: one makes all calls of the store, one watches for
 * changes, and one ends terms whose deadline has come while the first is held up. It
 * breaks off calls that do not return, too. User code runs on none of them.
 */
final class EngineThreads {

	private static final Duration RETRY_UNSUPPORTED_WATCH = Duration.ofMinutes(5);

	private final EngineThread loopThread = new EngineThread("leader-election-loop", this::loopTurn);

	private final EngineThread timerThread = new EngineThread("leader-election-timer", this::timerTurn);

	private final Watchdog watchdog = new Watchdog();

	private final EngineContext context;

	private final EventLoop loop;

	private final LeaseWatcher watcher;

	EngineThreads(EngineContext context, EventLoop loop) {
		this.context = context;
		this.loop = loop;
		this.watcher = new LeaseWatcher(context, loop.answers(), RETRY_UNSUPPORTED_WATCH);
	}

	void start() {
		this.loopThread.start();
		this.timerThread.start();
		this.watcher.start();
	}

	/** Return why nothing is pushed, {@code null} if changes are. */
	@Nullable String obstacle() {
		return this.watcher.obstacle();
	}

	/** Let the time pass at once. */
	void wakeUp() {
		this.loopThread.wake();
		this.timerThread.wake();
	}

	/** Make no further calls but those by which this process withdraws. */
	void close() {
		this.loop.close();
		this.loopThread.wake();
	}

	/**
	 * Wait until the last call was made.
	 * @return whether it was
	 */
	boolean awaitOver(long nanos) throws InterruptedException {
		return this.loopThread.awaitEnd(nanos);
	}

	/** Come to an end, whatever is under way. */
	void stop() {
		this.loopThread.stop();
		this.timerThread.stop();
		this.watcher.stop();
	}

	private long loopTurn() {
		Moment now = this.context.now();
		StoreCall call = this.loop.next(now);
		if (call != null) {
			perform(call);
		}
		if (this.loop.isOver()) {
			this.loopThread.stop();
		}
		return (call != null || this.loop.isOver()) ? 0 : this.loop.sleepUntil(now) - now.nanos();
	}

	private void perform(StoreCall call) {
		EngineObservers observers = this.context.observers();
		long since = observers.now();
		Consumer<Moment> reply;
		try {
			reply = this.watchdog.guard(this.loop.turns().patience(), this.context.now(), call.request());
		}
		catch (Throwable ex) {
			// Whatever it is, it leaves open whether the store has done it. What closing
			// breaks off is no outage.
			this.loop.failed(call, this.loopThread.isStopped() ? null : ex, this.context.now());
			observers.fireEnd(since, (observer, nanos) -> observer.onStoreCall(call.operation(), nanos, false));
			return;
		}
		try {
			this.loop.answered(call, reply, this.context.now());
		}
		finally {
			observers.fireEnd(since, (observer, nanos) -> observer.onStoreCall(call.operation(), nanos, true));
		}
	}

	private long timerTurn() {
		Moment now = this.context.now();
		Turns turns = this.loop.turns();
		try {
			turns.tick(now);
		}
		finally {
			this.watchdog.check(now);
			this.watcher.check(now);
		}
		return turns.plan(now, CommandPlanner::tickAt) - now.nanos();
	}

}
