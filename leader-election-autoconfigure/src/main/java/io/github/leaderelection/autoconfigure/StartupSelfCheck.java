package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.mongodb.MongoSelfCheck;
import io.github.leaderelection.store.LeaseStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Logs once what leases are kept on, as soon as that is known. Has a thread of its own
 * until then, so that it delays neither the start nor an election, and can't fail either.
 */
final class StartupSelfCheck implements SmartInitializingSingleton, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(StartupSelfCheck.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	/** How many seconds to wait for what the engine finds out by itself. */
	private static final int PATIENCE = 10;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final MongoSelfCheck check;

	private final ObjectProvider<ElectionEngine> engine;

	StartupSelfCheck(MongoSelfCheck check, ObjectProvider<ElectionEngine> engine) {
		this.check = check;
		this.engine = engine;
	}

	@Override
	public void afterSingletonsInstantiated() {
		// None where a test has put a mock in its place.
		this.engine.ifAvailable((present) -> {
			Thread thread = new Thread(() -> run(present), "leader-election-self-check");
			thread.setDaemon(true);
			thread.start();
		});
	}

	private void run(ElectionEngine present) {
		try {
			for (int tries = 1; !this.stopped.await(1, TimeUnit.SECONDS); tries++) {
				EngineStatus status = present.status();
				if ((tries >= PATIENCE || this.check.isReady(status)) && report(status, present.candidateId())) {
					return;
				}
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			logger.debug("The self-check of leader election was given up", ex);
		}
	}

	private boolean report(EngineStatus status, String candidateId) {
		try {
			String report = this.check.describe(status, TIMEOUT);
			logger.atInfo().addKeyValue("candidate", candidateId).log(report);
			return true;
		}
		catch (LeaseStoreException ex) {
			logger.debug("The self-check of leader election is put off", ex);
			return false;
		}
	}

	@Override
	public void destroy() {
		this.stopped.countDown();
	}

}
