package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process whose work asks the JVM to exit, while a shutdown hook closes the engine that
 * would wait for that work: for a day, by its settings.
 */
final class ExitingProcess {

	/** What it exits with. */
	static final int EXIT = 7;

	private static final Logger logger = LoggerFactory.getLogger(ExitingProcess.class);

	private static final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private static final CountDownLatch elected = new CountDownLatch(1);

	private ExitingProcess() {
	}

	/**
	 * Runs until it exits.
	 * @param args how: a name of {@link Way}
	 */
	public static void main(String[] args) throws InterruptedException {
		ElectionSettings settings = ElectionSettings.of(Duration.ofHours(1))
			.toBuilder()
			.drainTimeout(Duration.ofDays(1))
			.build();
		ElectionEngine engine = ElectionEngine.builder(store).settings(settings).build();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			engine.close();
			Lease lease = store.read(List.of("x"), Duration.ofSeconds(1)).leases().get("x");
			logger.info("Closed; holder: {}", lease.holder());
		}));
		Way way = Way.valueOf(args[0]);
		engine.register(new Exiting(way));
		engine.start();
		elected.await();
		switch (way) {
			case IN_CALL -> enterAndExit(engine, true);
			case IN_UNINTERRUPTED_CALL -> enterAndExit(engine, false);
			case IN_CALL_WHEN_TOLD -> {
				CountDownLatch entered = new CountDownLatch(1);
				new Thread(() -> engine.runIfLeader("x", (leadership) -> {
					entered.countDown();
					while (!leadership.isEnding()) {
						Thread.onSpinWait();
					}
					exit();
				})).start();
				entered.await();
				exit();
			}
			case IN_CANDIDATE -> Thread.currentThread().join();
		}
	}

	private static void enterAndExit(ElectionEngine engine, boolean interruptible) {
		engine.enter("x", interruptible);
		exit();
	}

	private static void exit() {
		System.exit(EXIT);
	}

	/** From where it exits. */
	enum Way {

		IN_CALL, IN_UNINTERRUPTED_CALL, IN_CALL_WHEN_TOLD, IN_CANDIDATE

	}

	private record Exiting(Way way) implements Candidate {

		@Override
		public String election() {
			return "x";
		}

		@Override
		public void onElected(Leadership leadership) {
			elected.countDown();
			if (this.way == Way.IN_CANDIDATE) {
				exit();
			}
		}

	}

}
