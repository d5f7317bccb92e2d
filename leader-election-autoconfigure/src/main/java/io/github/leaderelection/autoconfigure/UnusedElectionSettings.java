package io.github.leaderelection.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.LeaderElection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Tells, when the application has started, of settings for elections in which it does not
 * stand. That is no error: applications may share a configuration, and candidates may
 * come later.
 */
final class UnusedElectionSettings implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElectionAutoConfiguration.class);

	private final List<String> configured;

	private final ObjectProvider<LeaderElection> elections;

	UnusedElectionSettings(Collection<String> configured, ObjectProvider<LeaderElection> elections) {
		this.configured = List.copyOf(configured);
		this.elections = elections;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		LeaderElection all = this.elections.getIfAvailable();
		if (all == null || this.configured.isEmpty()) {
			return;
		}
		Set<String> stoodIn = all.elections();
		for (String election : this.configured) {
			if (!stoodIn.contains(election)) {
				String key = ElectionSettingsResolver.keyOf(election);
				logger.info(
						"Settings of {} apply to nothing so far: no @LeaderOnly method and no Candidate names the "
								+ "election. Check the name, or set {}.stand=true to stand in it without either",
						key, key);
			}
		}
	}

}
