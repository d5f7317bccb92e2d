package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

	private final Signal loopSignal = new Signal();

	private final Signal timerSignal = new Signal();

	private final CountDownLatch over = new CountDownLatch(1);

	private final Watchdog watchdog = new Watchdog();

	private final EngineContext context;

	private final EventLoop loop;

	private final LeaseWatcher watcher;

	private volatile boolean stopped;

	EngineThreads(EngineContext context, EventLoop loop) {
		this.context = context;
		this.loop = loop;
		this.watcher = new LeaseWatcher(context, loop.answers(), RETRY_UNSUPPORTED_WATCH);
	}

	void start() {
		EngineThread.start("leader-election-loop", this::loop);
		EngineThread.start("leader-election-timer", new EngineThread(this::timerTurn, () -> this.stopped));
		EngineThread.start("leader-election-watch", this.watcher);
	}

	/** Return why nothing is pushed, {@code null} if changes are. */
	@Nullable String obstacle() {
		return this.watcher.obstacle();
	}

	/** Let the time pass at once. */
	void wakeUp() {
		this.loopSignal.raise();
		this.timerSignal.raise();
	}

	/** Make no further calls but those by which this process withdraws. */
	void close() {
		this.loop.close();
		this.loopSignal.raise();
	}

	/**
	 * Wait until the last call was made.
	 * @return whether it was
	 */
	boolean awaitOver(long nanos) throws InterruptedException {
		return this.over.await(nanos, TimeUnit.NANOSECONDS);
	}

	/** Come to an end, whatever is under way. */
	void stop() {
		this.stopped = true;
		this.watcher.stop();
		wakeUp();
	}

	private void loop() {
		try {
			new EngineThread(this::loopTurn, () -> this.stopped).run();
		}
		finally {
			this.over.countDown();
		}
	}

	private boolean loopTurn() {
		if (this.stopped) {
			return false;
		}
		Moment now = this.context.now();
		StoreCall call = this.loop.next(now);
		if (call != null) {
			perform(call);
		}
		else if (!this.loop.isOver()) {
			this.loopSignal.await(this.loop.sleepUntil(now) - now.nanos());
		}
		return !this.loop.isOver();
	}

	private void perform(StoreCall call) {
		EngineObservers observers = this.context.observers();
		long since = observers.now();
		Consumer<Moment> reply;
		try {
			reply = this.watchdog.guard(this.loop.turns().patience(), this.context.now(), call::perform);
		}
		catch (Throwable ex) {
			// Whatever it is, it leaves open whether the store has done it. What closing
			// breaks off is no outage.
			this.loop.failed(call, this.stopped ? null : ex, this.context.now());
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

	private boolean timerTurn() {
		if (this.stopped) {
			return false;
		}
		Moment now = this.context.now();
		Turns turns = this.loop.turns();
		try {
			turns.tick(now);
		}
		finally {
			this.watchdog.check(now);
			this.watcher.check(now);
		}
		this.timerSignal.await(turns.plan(now, CommandPlanner::tickAt) - now.nanos());
		return true;
	}

}
