package io.github.leaderelection.test;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.autoconfigure.ElectionSettingsSource;
import io.github.leaderelection.engine.ElectionSettings;

/**
 * Gives each election a session of its own, so that one term can expire and the others
 * don't. A process has one session for each time to live, so each election gets a time to
 * live that differs from all others by milliseconds. How long a leader leads after a
 * renewal stays the same.
 */
final class SeparateSessions implements ElectionSettingsSource {

	private static final Duration LONG = Duration.ofHours(12);

	private final ElectionSettingsSource settings;

	private final Map<String, ElectionSettings> separate = new HashMap<>();

	private final Set<Duration> used = new HashSet<>();

	SeparateSessions(ElectionSettingsSource settings) {
		this.settings = settings;
	}

	@Override
	public synchronized ElectionSettings settings(String election) {
		return this.separate.computeIfAbsent(election, (name) -> separate(this.settings.settings(name)));
	}

	private ElectionSettings separate(ElectionSettings shared) {
		// A time to live must not be longer than a day.
		int step = (shared.ttl().compareTo(LONG) < 0) ? 1 : -1;
		int more = 0;
		while (!this.used.add(shared.ttl().plusMillis(more))) {
			more += step;
		}
		return new ElectionSettings(shared.ttl().plusMillis(more), shared.renewInterval(),
				shared.safetyMargin().plusMillis(Math.max(0, more)), shared.operationTimeout(), shared.pollInterval(),
				shared.drainTimeout(), shared.cooldown());
	}

}
