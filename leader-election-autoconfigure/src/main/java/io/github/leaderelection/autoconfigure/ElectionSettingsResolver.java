package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.InvalidSettingException;
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

	private final ElectionSettings global;

	private final Map<String, ElectionSettings> configured = new LinkedHashMap<>();

	/**
	 * Create a resolver.
	 * @param properties the properties
	 * @throws InvalidElectionSettingException if a setting or name is not valid
	 */
	ElectionSettingsResolver(LeaderElectionProperties properties) {
		this.global = resolve(LeaderElectionProperties.PREFIX + ".", properties.getTtl(), properties, null);
		requireValidName(LeaderElectionProperties.PREFIX + ".default-election", properties.getDefaultElection());
		properties.getElections().forEach((name, election) -> {
			String key = LeaderElectionProperties.PREFIX + ".elections." + (isPlain(name) ? name : "[" + name + "]");
			requireValidName(key, name);
			this.configured.put(name, resolve(key + ".", election.getTtl(), election, this.global));
		});
	}

	@Override
	public ElectionSettings apply(String election) {
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
	 * Return the elections that are configured by name.
	 * @return the election names, in the order of the configuration
	 */
	Set<String> configuredElections() {
		return this.configured.keySet();
	}

	/**
	 * Return the longest time to live of any election.
	 * @return the time to live
	 */
	Duration longestTtl() {
		return longest(ElectionSettings::ttl);
	}

	/**
	 * Return the longest drain timeout of any election.
	 * @return the drain timeout
	 */
	Duration longestDrainTimeout() {
		return longest(ElectionSettings::drainTimeout);
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
