package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.InvalidConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Shows what is wrong with the configuration, where it is set, and what can be done.
 */
final class StartupFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

	private final @Nullable Environment environment;

	StartupFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfigurationException cause) {
		String origin = (cause instanceof InvalidElectionSettingException setting) ? origin(setting.getKey()) : "";
		return new FailureAnalysis(cause.getDescription() + "." + origin, cause.getRemedy() + ".", cause);
	}

	/** Return a sentence that tells where the property is set, if it is. */
	private String origin(String key) {
		if (this.environment != null) {
			ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
				ConfigurationProperty property = source.getConfigurationProperty(name);
				if (property != null) {
					return " %s is set by %s.".formatted(key, property.getOrigin());
				}
			}
		}
		return "";
	}

}
