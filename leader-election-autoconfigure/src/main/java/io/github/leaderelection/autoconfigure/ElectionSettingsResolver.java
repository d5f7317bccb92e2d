package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.Election;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.engine.InvalidSettingException;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the settings of each election from the properties. Validates all of them when
 * it is created.
 * <p>
 * If an election sets its own time to live, settings that it does not set are derived
 * from that; otherwise they are the global ones. The drain timeout does not depend on the
 * time to live: an election that does not set it has the global one.
 */
final class ElectionSettingsResolver implements ElectionSettingsSource {

	private static final String PREFIX_KEY = LeaderElectionProperties.PREFIX + ".prefix";

	private static final Duration LEAST_UNUSED = Duration.ofMinutes(1);

	private static final Duration MOST_UNUSED = Duration.ofDays(365);

	private final ElectionSettings global;

	private final Map<String, ElectionSettings> configured = new LinkedHashMap<>();

	private final LeaderElectionProperties properties;

	/**
	 * Create a resolver.
	 * @param properties the properties
	 * @throws InvalidElectionSettingException if a setting or name is not valid
	 */
	ElectionSettingsResolver(LeaderElectionProperties properties) {
		this.properties = properties;
		this.global = resolve(LeaderElectionProperties.PREFIX + ".", properties.ttl(),
				ElectionSettings.of(ElectionSettings.DEFAULT_TTL), properties.all());
		requireValidDeadline(LeaderElectionProperties.PREFIX + ".", properties.startingDeadline());
		locks();
		if (!properties.prefix().isEmpty()) {
			requireValidName(PREFIX_KEY, properties.prefix());
		}
		requireValidName(LeaderElectionProperties.PREFIX + ".default-election", properties.defaultElection());
		properties.elections().forEach((name, election) -> {
			String key = keyOf(name);
			requireValidName(key, name);
			requireStorable(name);
			this.configured.put(name, resolve(key + ".", election.ttl(), this.global, election));
			requireValidDeadline(key + ".", election.startingDeadline());
		});
	}

	/**
	 * Return the settings of an election.
	 * @param election the election name
	 * @return its settings
	 * @throws InvalidElectionSettingException if its name is too long with the prefix
	 */
	@Override
	public ElectionSettings settings(String election) {
		requireStorable(election);
		return this.configured.getOrDefault(election, this.global);
	}

	/**
	 * Return how long after its fire time a job can still be started, unless the job
	 * itself says otherwise.
	 * @param election the election of the job
	 * @return the starting deadline
	 */
	Duration startingDeadline(String election) {
		Election own = this.properties.elections().get(election);
		Duration set = (own != null && own.startingDeadline() != null) ? own.startingDeadline()
				: this.properties.startingDeadline();
		return (set != null) ? set
				: JobSettings.startingDeadline(this.configured.getOrDefault(election, this.global).ttl());
	}

	/**
	 * Return the settings of all locks. There is no cooldown: a process that has released
	 * a lock may acquire it again at once.
	 * @return the settings
	 */
	ElectionSettings locks() {
		LeaderElectionProperties.Locks own = this.properties.locks();
		String key = LeaderElectionProperties.PREFIX + ".locks.";
		Duration unusedFor = own.unusedFor();
		if (unusedFor.compareTo(LEAST_UNUSED) < 0 || unusedFor.compareTo(MOST_UNUSED) > 0) {
			throw new InvalidElectionSettingException(key + "unused-for", ReadableDuration.exact(unusedFor),
					"must be between 1 min and 365 d", "Use a value such as 1h", null);
		}
		return resolve(key, own.ttl(), this.global, null).toBuilder().cooldown(Duration.ZERO).build();
	}

	/** Return the key of the properties of an election. */
	static String keyOf(String election) {
		return LeaderElectionProperties.PREFIX + ".elections." + (isPlain(election) ? election : "[" + election + "]");
	}

	/**
	 * Return the longest drain timeout of any election.
	 * @return the drain timeout
	 */
	Duration longestDrainTimeout() {
		return all().map(ElectionSettings::drainTimeout).max(Comparator.naturalOrder()).orElseThrow();
	}

	/**
	 * Return the shortest time that a call of the store may take for any election.
	 * @return the operation timeout
	 */
	Duration shortestOperationTimeout() {
		return all().map(ElectionSettings::operationTimeout).min(Comparator.naturalOrder()).orElseThrow();
	}

	private Stream<ElectionSettings> all() {
		return Stream.concat(Stream.of(this.global), this.configured.values().stream());
	}

	private static ElectionSettings resolve(String prefix, @Nullable Duration ttl, ElectionSettings inherited,
			@Nullable Election own) {
		try {
			ElectionSettings.Builder settings = (ttl != null)
					? ElectionSettings.of(ttl).toBuilder().drainTimeout(inherited.drainTimeout())
					: inherited.toBuilder();
			if (own != null) {
				settings.renewInterval(own.renewInterval())
					.safetyMargin(own.safetyMargin())
					.operationTimeout(own.operationTimeout())
					.pollInterval(own.pollInterval())
					.drainTimeout(own.drainTimeout())
					.cooldown(own.cooldown());
			}
			return settings.build();
		}
		catch (InvalidSettingException ex) {
			throw new InvalidElectionSettingException(prefix + ex.getName(), ex.getValue(), ex.getReason(),
					ex.getRemedy(), ex);
		}
	}

	private static void requireValidDeadline(String prefix, @Nullable Duration deadline) {
		if (deadline != null && !Job.isValidStartingDeadline(deadline)) {
			throw new InvalidElectionSettingException(prefix + "starting-deadline", ReadableDuration.exact(deadline),
					"must be between 1 ms and 365 d", "Use a value such as 10m", null);
		}
	}

	static void requireValidName(String key, @Nullable String name) {
		if (name == null) {
			return;
		}
		try {
			ElectionNames.requireValid(name);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidElectionSettingException(StoredText.printable(key), StoredText.printable(name),
					"is not a valid name", String.valueOf(ex.getMessage()), ex);
		}
	}

	private void requireStorable(String election) {
		String prefix = this.properties.prefix();
		int length = prefix.length() + election.length();
		if (length > ElectionNames.MAX_LENGTH) {
			throw new InvalidElectionSettingException(PREFIX_KEY, StoredText.printable(prefix),
					"has %d characters with election name '%s'".formatted(length, StoredText.printable(election)),
					"Use at most %d characters for both together".formatted(ElectionNames.MAX_LENGTH), null);
		}
	}

	private static boolean isPlain(String name) {
		return name.matches("[A-Za-z0-9_-]*");
	}

}
