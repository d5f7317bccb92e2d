package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.store.ReadableDuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Logs at startup what is valid, and may yet surprise.
 */
final class StartupWarnings {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElectionAutoConfiguration.class);

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

	private StartupWarnings() {
	}

	static void log(LeaderElectionProperties properties, ElectionSettingsResolver settings, Environment environment) {
		if (LeaderElectionTestSliceAutoConfiguration.isActive(environment)) {
			logger.info("Leader election is disabled in this test slice, which has no store for leases: this process "
					+ "leads all elections, unless leader-election.when-disabled is 'skip'");
			return;
		}
		if (!properties.isEnabled()) {
			warnOfDisabled(properties.getWhenDisabled());
			return;
		}
		Duration drainTimeout = settings.longestDrainTimeout();
		Duration phaseTimeout = Binder.get(environment)
			.bind(PHASE_TIMEOUT, Duration.class)
			.orElse(DEFAULT_PHASE_TIMEOUT);
		if (drainTimeout.compareTo(phaseTimeout) >= 0) {
			logger.warn("leader-election drain-timeout ({}) is not shorter than {} ({}): a shutdown may end "
					+ "before work in flight has, and leave leases to expire. Shorten the one or raise the other",
					ReadableDuration.exact(drainTimeout), PHASE_TIMEOUT, ReadableDuration.exact(phaseTimeout));
		}
	}

	static void logDefaultDatabase(String name) {
		logger.warn("Leader election uses MongoDB's default database, '{}', as others there may do. Name one in "
				+ "spring.mongodb.uri (mongodb://host/database), or set spring.mongodb.database. To use this one, set "
				+ "leader-election.mongodb.database", name);
	}

	private static void warnOfDisabled(WhenDisabled whenDisabled) {
		switch (whenDisabled) {
			case RUN -> logger.warn("Leader election is disabled (leader-election.enabled=false): this process leads "
					+ "all elections, whoever else does (leader-election.when-disabled=run)");
			case SKIP -> logger.warn("Leader election is disabled (leader-election.enabled=false): this process "
					+ "leads no election (leader-election.when-disabled=skip)");
		}
	}

}
