package io.github.leaderelection.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.InMemoryCandidateRegistry;
import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseWatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with two candidates and hardly any heap, which runs out of it again and
 * again. Exits with 0 if each time one of them leads afterwards, callbacks balance, and
 * all threads of both engines are still there.
 */
final class ExhaustedProcess {

	private static final Logger logger = LoggerFactory.getLogger(ExhaustedProcess.class);

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final int CYCLES = 6;

	private static final int LARGE = 64 * 1024;

	private static final AtomicInteger loopHits = new AtomicInteger();

	private static final AtomicInteger timerHits = new AtomicInteger();

	private static final AtomicInteger watchHits = new AtomicInteger();

	private static final AtomicInteger callbackHits = new AtomicInteger();

	/** What was allocated last, so that it is. */
	private static volatile Object last;

	private final LeaseStore store = exhausting(LeaseStore.class, new InMemoryLeaseStore(), loopHits);

	private final BalancedCandidate first = new BalancedCandidate();

	private final BalancedCandidate second = new BalancedCandidate();

	private final ElectionEngine one = engine("one", this.first);

	private final ElectionEngine other = engine("other", this.second);

	private volatile byte[][] hoard;

	private ExhaustedProcess() {
	}

	public static void main(String[] args) throws Exception {
		String problem = new ExhaustedProcess().live();
		logger.info((problem != null) ? problem : "All is well");
		System.exit((problem != null) ? 1 : 0);
	}

	private String live() throws InterruptedException {
		if (!waitFor(this::isLed)) {
			return "Nobody leads at first";
		}
		warmUp();
		for (int cycle = 0; cycle < CYCLES; cycle++) {
			exhaust(Duration.ofMillis((cycle % 2 == 0) ? 400 : 2 * TTL.toMillis()));
			if (!waitFor(this::isLed)) {
				return "Nobody leads after cycle " + cycle + ": " + this.one.status() + ", " + this.other.status();
			}
			if (!waitFor(() -> this.one.status().pushed() && this.other.status().pushed())) {
				return "Nothing is pushed after cycle " + cycle;
			}
			// Terms end and begin after each.
			AtomicInteger terms = new AtomicInteger();
			if (!waitFor(() -> {
				terms.set(this.first.elected + this.second.elected);
				// Who hands over already can't resign.
				return leader().resign("jobs");
			})) {
				return "Nobody resigns after cycle " + cycle;
			}
			if (!waitFor(() -> this.first.elected + this.second.elected > terms.get())) {
				return "Nobody is elected after cycle " + cycle;
			}
		}
		long threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leader-election-"))
			.count();
		if (threads != 6) {
			return threads + " threads of 6 are left";
		}
		this.one.close();
		this.other.close();
		logger.info("out of memory: loops {}, timers {}, watches {}, callbacks {}; terms {}", loopHits, timerHits,
				watchHits, callbackHits, this.first.elected + this.second.elected);
		if (Math.min(Math.min(loopHits.get(), timerHits.get()), Math.min(watchHits.get(), callbackHits.get())) == 0) {
			return "Not everybody has run out of memory";
		}
		return (this.first.isBalanced() && this.second.isBalanced()) ? null
				: "Callbacks do not balance: " + this.first + ", " + this.second;
	}

	/** Let all code be loaded: what can't be then is lost for good, in any program. */
	private void warmUp() throws InterruptedException {
		this.first.failing = true;
		this.second.failing = true;
		leader().resign("jobs");
		Thread.sleep(TTL.toMillis());
		this.first.failing = false;
		this.second.failing = false;
		waitFor(this::isLed);
	}

	/** Take all there is, and whatever others give back. */
	private void exhaust(Duration duration) {
		long since = System.nanoTime();
		byte[][] taken = new byte[100_000][];
		this.hoard = taken;
		int next = 0;
		int size = 1024 * 1024;
		while (System.nanoTime() - since < duration.toNanos()) {
			try {
				taken[next % taken.length] = new byte[size];
				next++;
			}
			catch (OutOfMemoryError ex) {
				size = (size > 512) ? size / 2 : 1024;
			}
		}
		this.hoard = null;
	}

	private boolean isLed() {
		return this.one.isLeader("jobs") != this.other.isLeader("jobs");
	}

	private ElectionEngine leader() {
		return this.one.isLeader("jobs") ? this.one : this.other;
	}

	private static boolean waitFor(BooleanSupplier condition) throws InterruptedException {
		long since = System.nanoTime();
		while (System.nanoTime() - since < Duration.ofSeconds(40).toNanos()) {
			if (condition.getAsBoolean()) {
				return true;
			}
			Thread.sleep(20);
		}
		return false;
	}

	private ElectionEngine engine(String id, Candidate candidate) {
		CandidateRecord identity = new CandidateRecord(id, "test", "localhost", 1, null, null, Set.of(), null, null);
		ElectionEngine engine = new ElectionEngine(identity, this.store, new InMemoryCandidateRegistry(),
				(election) -> ElectionSettings.of(TTL), (task) -> new Thread(task, "callback").start(),
				List.of(new ElectionListener() {

					@Override
					public void onElected(Leadership leadership) {
						allocate(callbackHits);
					}

				}), new ExhaustingClock());
		engine.register(candidate);
		engine.start();
		return engine;
	}

	/** Allocate so much that it fails where there is little left. */
	private static void allocate(AtomicInteger hits) {
		try {
			last = new byte[LARGE];
		}
		catch (OutOfMemoryError ex) {
			hits.incrementAndGet();
			throw ex;
		}
	}

	private static <T> T exhausting(Class<T> type, T target, AtomicInteger hits) {
		return type.cast(Proxy.newProxyInstance(ExhaustedProcess.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					allocate(hits);
					try {
						Object result = method.invoke(target, arguments);
						return (result instanceof LeaseWatch watch) ? exhausting(LeaseWatch.class, watch, watchHits)
								: result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				}));
	}

	/** Asked for the time, the timer runs out of memory too. */
	private static final class ExhaustingClock implements EngineClock {

		@Override
		public long nanos() {
			return System.nanoTime();
		}

		@Override
		public long millis() {
			return System.currentTimeMillis();
		}

		@Override
		public Moment now() {
			if (Thread.currentThread().getName().equals("leader-election-timer")) {
				allocate(timerHits);
			}
			return new Moment(nanos(), millis());
		}

	}

	/** Keeps count of what it is told, without any memory. */
	private static final class BalancedCandidate implements Candidate {

		private volatile int elected;

		private volatile int defeated;

		private volatile int outOfOrder;

		private volatile boolean failing;

		@Override
		public String election() {
			return "jobs";
		}

		@Override
		public void onElected(Leadership leadership) throws InterruptedException {
			begin();
			if (this.failing) {
				throw new IllegalStateException("expected while everything is tried once");
			}
			while (leadership.isHeld()) {
				Thread.sleep(50);
				allocate(callbackHits);
			}
		}

		private synchronized void begin() {
			if (this.elected != this.defeated) {
				this.outOfOrder++;
			}
			this.elected++;
		}

		@Override
		public synchronized void onDefeated(Leadership leadership) {
			this.defeated++;
			if (this.elected != this.defeated) {
				this.outOfOrder++;
			}
			allocate(callbackHits);
		}

		boolean isBalanced() {
			return this.outOfOrder == 0 && this.elected == this.defeated;
		}

		@Override
		public String toString() {
			return "elected %d times, defeated %d times, %d out of order".formatted(this.elected, this.defeated,
					this.outOfOrder);
		}

	}

}
