package io.github.leaderelection.test;

import java.util.Map;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Puts the elections of a test context under control. All instances are equal: what a
 * test wants to lead is not part of its context, so that tests can share one.
 */
record LeadershipControlContextCustomizer() implements ContextCustomizer {

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("leadershipControl",
					Map.of("leader-election.enabled", true, "leader-election.prefix", "")));
		((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition(
				LeadershipControlConfiguration.class.getName(),
				new RootBeanDefinition(LeadershipControlConfiguration.class));
	}

}
