package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process whose gated call asks the JVM to exit, while a shutdown hook closes the
 * engine that waits for that call.
 */
final class ExitingProcess {

	/** The exit status. */
	static final int EXIT = 7;

	private static final Logger logger = LoggerFactory.getLogger(ExitingProcess.class);

	private ExitingProcess() {
	}

	/**
	 * Run until it exits.
	 * @param args none
	 */
	public static void main(String[] args) {
		LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");
		ElectionEngine engine = ElectionEngine.builder(store).settings(ClosedFromInsideTests.settings()).build();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			engine.close();
			Lease lease = store.read(List.of("x"), List.of(), Duration.ofSeconds(1)).leases().get("x");
			logger.info("Closed; holder: {}", lease.holder());
		}));
		engine.stand("x");
		engine.start();
		while (!engine.runIfLeader("x", (leadership) -> System.exit(EXIT))) {
			Thread.onSpinWait();
		}
	}

}
