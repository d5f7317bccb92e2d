package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.spring.LeaderElectionLifecycle;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/**
 * Lets no test of a slice begin before this process leads. That takes a few milliseconds,
 * since nobody else is there.
 */
final class SliceLeadership implements SmartLifecycle {

	/** Disables leader election, where it is there. */
	static final String PROPERTY_SOURCE = "leaderElectionTestSlice";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ObjectProvider<ElectionEngine> engines;

	private final WhenDisabled whenDisabled;

	private volatile boolean running;

	SliceLeadership(ObjectProvider<ElectionEngine> engines, WhenDisabled whenDisabled) {
		this.engines = engines;
		this.whenDisabled = whenDisabled;
	}

	static boolean isActive(Environment environment) {
		return environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().contains(PROPERTY_SOURCE);
	}

	@Override
	public void start() {
		this.running = true;
		ElectionEngine engine = this.engines.getIfAvailable();
		if (engine == null || this.whenDisabled != WhenDisabled.RUN) {
			return;
		}
		long begin = System.nanoTime();
		try {
			while (!engine.elections().stream().allMatch(engine::isLeader)
					&& System.nanoTime() - begin < PATIENCE.toNanos()) {
				TimeUnit.MILLISECONDS.sleep(1);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** After the engine has started. */
	@Override
	public int getPhase() {
		return LeaderElectionLifecycle.PHASE + 1;
	}

}
