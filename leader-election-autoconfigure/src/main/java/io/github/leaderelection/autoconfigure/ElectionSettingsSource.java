package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.engine.ElectionSettings;

/**
 * Where the settings of an election come from. A bean, which is no {@code Function}: what
 * makes endpoints or message handlers of all functions would take it for one of them.
 */
@FunctionalInterface
public interface ElectionSettingsSource {

	/**
	 * Return the settings of an election.
	 * @param election the election name
	 * @return its settings
	 * @throws io.github.leaderelection.InvalidConfigurationException if it can't have any
	 */
	ElectionSettings settings(String election);

}
