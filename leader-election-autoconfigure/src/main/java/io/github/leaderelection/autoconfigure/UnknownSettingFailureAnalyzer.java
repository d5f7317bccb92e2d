package io.github.leaderelection.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains that a {@code leader-election} property is not known, and tells which are.
 * Comes before Spring Boot's own analyzer, which does not tell that.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownSettingFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName
		.of(LeaderElectionProperties.PREFIX);

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		List<ConfigurationProperty> unknown = cause.getUnboundProperties()
			.stream()
			.filter((property) -> PREFIX.isAncestorOf(property.getName()))
			.toList();
		if (unknown.isEmpty()) {
			return null;
		}
		String description = unknown.stream()
			.map(UnknownSettingFailureAnalyzer::describe)
			.collect(Collectors.joining(System.lineSeparator()));
		ConfigurationPropertyName first = unknown.get(0).getName();
		int level = levelOf(first);
		return new FailureAnalysis(description, "Remove it, or use one of these under %s: %s."
			.formatted(first.chop(level), propertiesOf(typeOf(first, level))), cause);
	}

	private static String describe(ConfigurationProperty property) {
		return "%s is not a known property (from %s).".formatted(property.getName(),
				(property.getOrigin() != null) ? property.getOrigin() : "an unknown place");
	}

	/** Return how many elements come before the one that is not known. */
	private static int levelOf(ConfigurationPropertyName name) {
		if (name.getNumberOfElements() < 3) {
			return 1;
		}
		if (name.getElement(1, Form.DASHED).equals("elections")) {
			return (name.getNumberOfElements() > 3) ? 3 : 1;
		}
		return (typeOf(name, 2) != LeaderElectionProperties.class) ? 2 : 1;
	}

	/** Return what has the properties beneath the first elements of the name. */
	private static Class<?> typeOf(ConfigurationPropertyName name, int level) {
		if (level == 3) {
			return LeaderElectionProperties.Election.class;
		}
		if (level == 2) {
			for (Class<?> group : LeaderElectionProperties.class.getDeclaredClasses()) {
				if (group.getSimpleName().toLowerCase(Locale.ROOT).equals(name.getElement(1, Form.UNIFORM))) {
					return group;
				}
			}
		}
		return LeaderElectionProperties.class;
	}

	private static String propertiesOf(Class<?> type) {
		return Arrays.stream(BeanUtils.getPropertyDescriptors(type))
			.filter((property) -> property.getWriteMethod() != null || isGroup(property.getPropertyType()))
			.map((property) -> property.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static boolean isGroup(Class<?> type) {
		return type.getDeclaringClass() == LeaderElectionProperties.class || Map.class.isAssignableFrom(type);
	}

}
