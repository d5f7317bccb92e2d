package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.engine.ElectionSettings;

/**
 * The source of the settings of elections. Not a {@code Function}, since it is a bean:
 * libraries that make an endpoint or a message handler of every function would include
 * it.
 */
@FunctionalInterface
public interface ElectionSettingsSource {

	/**
	 * Return the settings of an election.
	 * @param election the election name
	 * @return its settings
	 * @throws io.github.leaderelection.InvalidConfigurationException if the election
	 * can't have settings
	 */
	ElectionSettings settings(String election);

}
