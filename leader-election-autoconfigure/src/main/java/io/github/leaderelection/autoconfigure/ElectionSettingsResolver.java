package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.engine.InvalidSettingException;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the settings of each election from the properties. All of them are validated when
 * the resolver is created.
 * <p>
 * What an election does not set itself follows from its own time to live if it sets one,
 * and is taken from the global properties otherwise. The drain timeout, which does not
 * depend on the time to live, is always taken from the global properties.
 */
final class ElectionSettingsResolver implements Function<String, ElectionSettings> {

	private static final Logger logger = LoggerFactory.getLogger(ElectionSettingsResolver.class);

	private static final String PREFIX_KEY = LeaderElectionProperties.PREFIX + ".prefix";

	private static final Duration LEAST_UNUSED = Duration.ofMinutes(1);

	private static final Duration MOST_UNUSED = Duration.ofDays(365);

	private final ElectionSettings global;

	private final Map<String, ElectionSettings> configured = new LinkedHashMap<>();

	private final Map<String, Duration> startingDeadlines = new LinkedHashMap<>();

	private final @Nullable Duration startingDeadline;

	private final ElectionSettings locks;

	private final Set<String> electionsToStandIn = new LinkedHashSet<>();

	private final String prefix;

	/**
	 * Create a resolver.
	 * @param properties the properties
	 * @throws InvalidElectionSettingException if a setting or name is not valid
	 */
	ElectionSettingsResolver(LeaderElectionProperties properties) {
		this.global = resolve(LeaderElectionProperties.PREFIX + ".", properties.getTtl(), properties, null);
		this.startingDeadline = startingDeadline(LeaderElectionProperties.PREFIX + ".", properties);
		this.locks = locks(properties.getLocks(), this.global);
		this.prefix = properties.getPrefix();
		if (!this.prefix.isEmpty()) {
			requireValidName(PREFIX_KEY, this.prefix);
		}
		requireValidName(LeaderElectionProperties.PREFIX + ".default-election", properties.getDefaultElection());
		properties.getElections().forEach((name, election) -> {
			String key = keyOf(name);
			requireValidName(key, name);
			requireStorable(name);
			this.configured.put(name, resolve(key + ".", election.getTtl(), election, this.global));
			Duration own = startingDeadline(key + ".", election);
			if (own != null) {
				this.startingDeadlines.put(name, own);
			}
			if (election.isStand()) {
				this.electionsToStandIn.add(name);
			}
		});
	}

	/**
	 * Return the settings of an election.
	 * @param election the election name
	 * @return its settings
	 * @throws InvalidElectionSettingException if its name is too long with the prefix
	 */
	@Override
	public ElectionSettings apply(String election) {
		requireStorable(election);
		ElectionSettings settings = this.configured.get(election);
		if (settings != null) {
			return settings;
		}
		this.configured.keySet()
			.stream()
			.filter((name) -> isPlain(name) && normalize(name).equals(normalize(election)))
			.findFirst()
			.ifPresent((name) -> logger
				.warn("Settings of leader-election.elections.{} do not apply to election '{}', whose name differs. "
						+ "Write leader-election.elections.[{}]", name, election, election));
		return this.global;
	}

	/**
	 * Return how long after its fire time a job can still be started, unless it says
	 * something else itself.
	 * @param election the election of the job
	 * @return the starting deadline
	 */
	Duration startingDeadline(String election) {
		Duration set = this.startingDeadlines.getOrDefault(election, this.startingDeadline);
		return (set != null) ? set
				: JobSettings.startingDeadline(this.configured.getOrDefault(election, this.global).ttl());
	}

	/**
	 * Return the settings of all locks: who has given a lock back may acquire it again at
	 * once.
	 * @return the settings
	 */
	ElectionSettings locks() {
		return this.locks;
	}

	/**
	 * Return the elections that are configured by name.
	 * @return the election names, in the order of the configuration
	 */
	Set<String> configuredElections() {
		return this.configured.keySet();
	}

	/**
	 * Return the elections to stand in whether or not anything else names them.
	 * @return the election names, in the order of the configuration
	 */
	Set<String> electionsToStandIn() {
		return this.electionsToStandIn;
	}

	/** Return the key under which the settings of an election are. */
	static String keyOf(String election) {
		return LeaderElectionProperties.PREFIX + ".elections." + (isPlain(election) ? election : "[" + election + "]");
	}

	/**
	 * Return the longest time to live of any election or lock.
	 * @return the time to live
	 */
	Duration longestTtl() {
		Duration longest = longest(ElectionSettings::ttl);
		return (longest.compareTo(this.locks.ttl()) >= 0) ? longest : this.locks.ttl();
	}

	/**
	 * Return the longest drain timeout of any election.
	 * @return the drain timeout
	 */
	Duration longestDrainTimeout() {
		return longest(ElectionSettings::drainTimeout);
	}

	private static ElectionSettings locks(LeaderElectionProperties.Locks properties, ElectionSettings global) {
		String key = LeaderElectionProperties.PREFIX + ".locks.";
		Duration unusedFor = properties.getUnusedFor();
		if (unusedFor.compareTo(LEAST_UNUSED) < 0 || unusedFor.compareTo(MOST_UNUSED) > 0) {
			throw new InvalidElectionSettingException(key + "unused-for", ReadableDuration.exact(unusedFor),
					"is not from 1 min to 365 d", "Use a value such as 1h", null);
		}
		try {
			ElectionSettings base = (properties.getTtl() != null) ? derive(properties.getTtl(), global) : global;
			return new ElectionSettings(base.ttl(), base.renewInterval(), base.safetyMargin(), base.operationTimeout(),
					base.pollInterval(), base.drainTimeout(), Duration.ZERO);
		}
		catch (InvalidSettingException ex) {
			throw new InvalidElectionSettingException(key + ex.getName(), ex.getValue(), ex.getReason(), ex.getRemedy(),
					ex);
		}
	}

	private Duration longest(Function<ElectionSettings, Duration> setting) {
		Collection<ElectionSettings> all = this.configured.values();
		return all.stream().map(setting).reduce(setting.apply(this.global), (a, b) -> (a.compareTo(b) >= 0) ? a : b);
	}

	private static ElectionSettings resolve(String prefix, @Nullable Duration ttl, TimingProperties own,
			@Nullable ElectionSettings inherited) {
		try {
			ElectionSettings base = (ttl != null || inherited == null) ? derive(ttl, inherited) : inherited;
			return new ElectionSettings(base.ttl(), or(own.getRenewInterval(), base.renewInterval()),
					or(own.getSafetyMargin(), base.safetyMargin()),
					or(own.getOperationTimeout(), base.operationTimeout()),
					or(own.getPollInterval(), base.pollInterval()), or(own.getDrainTimeout(), base.drainTimeout()),
					or(own.getCooldown(), base.cooldown()));
		}
		catch (InvalidSettingException ex) {
			throw new InvalidElectionSettingException(prefix + ex.getName(), ex.getValue(), ex.getReason(),
					ex.getRemedy(), ex);
		}
	}

	private static ElectionSettings derive(@Nullable Duration ttl, @Nullable ElectionSettings inherited) {
		ElectionSettings derived = ElectionSettings.of(or(ttl, ElectionSettings.DEFAULT_TTL));
		if (inherited == null) {
			return derived;
		}
		return new ElectionSettings(derived.ttl(), derived.renewInterval(), derived.safetyMargin(),
				derived.operationTimeout(), derived.pollInterval(), inherited.drainTimeout(), derived.cooldown());
	}

	private static @Nullable Duration startingDeadline(String prefix, TimingProperties properties) {
		Duration deadline = properties.getStartingDeadline();
		if (deadline != null && !Job.isValidStartingDeadline(deadline)) {
			throw new InvalidElectionSettingException(prefix + "starting-deadline", ReadableDuration.exact(deadline),
					"is not from 1 ms to 365 d", "Use a value such as 10m", null);
		}
		return deadline;
	}

	private static Duration or(@Nullable Duration value, Duration fallback) {
		return (value != null) ? value : fallback;
	}

	static void requireValidName(String key, @Nullable String name) {
		if (name == null) {
			return;
		}
		try {
			ElectionNames.requireValid(name);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidElectionSettingException(abbreviate(key), abbreviate(name), "does not name an election",
					String.valueOf(ex.getMessage()), ex);
		}
	}

	private void requireStorable(String election) {
		int length = this.prefix.length() + election.length();
		if (length > ElectionNames.MAX_LENGTH) {
			throw new InvalidElectionSettingException(PREFIX_KEY, abbreviate(this.prefix),
					"makes %d characters with the election name '%s'".formatted(length, abbreviate(election)),
					"Use at most %d together".formatted(ElectionNames.MAX_LENGTH), null);
		}
	}

	private static boolean isPlain(String name) {
		return name.matches("[A-Za-z0-9_-]*");
	}

	private static String abbreviate(String value) {
		String printable = ElectionNames.printable(value);
		return (printable.length() <= 80) ? printable : printable.substring(0, 80) + "…";
	}

	/** What property sources that can't carry every character make of a name. */
	private static String normalize(String name) {
		return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
	}

}
