package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.store.LeaseStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Logs once where the leases are kept, as soon as that is known. Until then it has a
 * thread of its own, so that it can't delay startup or an election, nor make them fail.
 */
final class StartupSelfCheck implements SmartInitializingSingleton, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(StartupSelfCheck.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	/** How many seconds to wait until the engine knows whether changes are pushed. */
	private static final int PATIENCE = 10;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final BiFunction<EngineStatus, Duration, String> check;

	private final boolean enabled;

	private final ObjectProvider<ElectionEngine> engine;

	/**
	 * Create a check.
	 * @param check describes the store in one line, given the status of the engine and
	 * the time limit of each call
	 * @param enabled whether the engine uses the store
	 * @param engine the engine
	 */
	StartupSelfCheck(BiFunction<EngineStatus, Duration, String> check, boolean enabled,
			ObjectProvider<ElectionEngine> engine) {
		this.check = check;
		this.enabled = enabled;
		this.engine = engine;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (!this.enabled) {
			return;
		}
		// There is no engine if a test has replaced it with a mock.
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
				if ((tries >= PATIENCE || isSettled(status)) && report(status, present.candidateId())) {
					return;
				}
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			logger.debug("The self-check of leader election was abandoned", ex);
		}
	}

	private static boolean isSettled(EngineStatus status) {
		return status.pushed() || status.notPushedBecause() != null;
	}

	private boolean report(EngineStatus status, String candidateId) {
		try {
			String report = this.check.apply(status, TIMEOUT);
			logger.atInfo().addKeyValue("candidate", candidateId).log(report);
			return true;
		}
		catch (LeaseStoreException ex) {
			logger.debug("The self-check of leader election failed; retrying", ex);
			return false;
		}
	}

	@Override
	public void destroy() {
		this.stopped.countDown();
	}

}
