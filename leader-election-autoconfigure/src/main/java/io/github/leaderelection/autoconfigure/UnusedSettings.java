package io.github.leaderelection.autoconfigure;

import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.github.leaderelection.LeaderElection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Reports settings that have no effect, once the application has started: unknown
 * properties, and settings of elections in which the application does not stand. Neither
 * is an error: applications may share a configuration, and candidates may come later.
 */
final class UnusedSettings implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(UnusedSettings.class);

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(LeaderElectionProperties.PREFIX);

	private final AtomicBoolean told = new AtomicBoolean();

	private final Environment environment;

	private final Collection<String> configured;

	private final ObjectProvider<LeaderElection> elections;

	/**
	 * Create an instance.
	 * @param environment the source of the settings
	 * @param configured the elections that have settings
	 * @param elections the elections
	 */
	UnusedSettings(Environment environment, Collection<String> configured, ObjectProvider<LeaderElection> elections) {
		this.environment = environment;
		this.configured = List.copyOf(configured);
		this.elections = elections;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		// The event of a child context reaches this context, too.
		if (this.told.getAndSet(true)) {
			return;
		}
		ConfigurationPropertySources.get(this.environment).forEach((source) -> {
			// Environment variables may belong to something else.
			if (source instanceof IterableConfigurationPropertySource properties
					&& new UnboundElementsSourceFilter().apply(source)) {
				properties.stream().filter(PREFIX::isAncestorOf).forEach((name) -> tellIfUnknown(name, source));
			}
		});
		LeaderElection all = this.elections.getIfAvailable();
		if (all != null) {
			this.configured.forEach((election) -> tellIfUnused(election, all.elections()));
		}
	}

	/** Follow the name from property to property, as the binder does. */
	private static void tellIfUnknown(ConfigurationPropertyName name, ConfigurationPropertySource source) {
		Class<?> type = LeaderElectionProperties.class;
		for (int i = 1; type.isRecord() && i < name.getNumberOfElements(); i++) {
			Map<String, Class<?>> known = propertiesOf(type);
			String element = name.getElement(i, Form.UNIFORM);
			String closest = closest(element, known.keySet()).orElseThrow();
			if (distance(element, closest) > 0) {
				ConfigurationProperty property = source.getConfigurationProperty(name);
				logger.warn("{} (from {}) is not a known property, and has no effect. Did you mean {}?", name,
						(property != null) ? property.getOrigin() : null, name.chop(i) + "." + closest);
				return;
			}
			type = Objects.requireNonNull(known.get(closest));
			if (type == Map.class) {
				// The next element is the name of an election.
				type = LeaderElectionProperties.Election.class;
				i++;
			}
		}
	}

	private void tellIfUnused(String election, Set<String> stoodIn) {
		if (!stoodIn.contains(election)) {
			String key = ElectionSettingsResolver.keyOf(election);
			Optional<String> meant = closest(election, stoodIn)
				.filter((other) -> distance(election, other) <= election.length() / 3);
			String hint = meant.map((other) -> ". Did you mean %s?".formatted(ElectionSettingsResolver.keyOf(other)))
				.orElse("");
			// An election with settings of its own is a sibling, and not misspelt.
			boolean misspelt = meant.isPresent() && !this.configured.contains(meant.get());
			logger.atLevel(misspelt ? Level.WARN : Level.INFO)
				.log("The settings of {} have no effect so far: no @LeaderOnly method or Candidate names the "
						+ "election. Check the name, or set {}.stand=true to stand in it all the same{}", key, key,
						hint);
		}
	}

	private static Map<String, Class<?>> propertiesOf(Class<?> type) {
		Map<String, Class<?>> properties = new HashMap<>();
		// The constructor that the binder calls: a native image knows no other member.
		for (Parameter property : type.getDeclaredConstructors()[0].getParameters()) {
			properties.put(DataObjectPropertyName.toDashedForm(property.getName()), property.getType());
		}
		return properties;
	}

	private static Optional<String> closest(String name, Collection<String> others) {
		return others.stream().min(Comparator.comparingInt((other) -> distance(name, other)));
	}

	/** Return the edit distance, by characters that every property source supports. */
	private static int distance(String one, String other) {
		String from = one.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
		String to = other.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
		int[] distances = IntStream.rangeClosed(0, to.length()).toArray();
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = distances[0];
			distances[0] = i;
			for (int j = 1; j <= to.length(); j++) {
				int changed = diagonal + ((from.charAt(i - 1) != to.charAt(j - 1)) ? 1 : 0);
				diagonal = distances[j];
				distances[j] = Math.min(changed, Math.min(diagonal, distances[j - 1]) + 1);
			}
		}
		return distances[to.length()];
	}

}
