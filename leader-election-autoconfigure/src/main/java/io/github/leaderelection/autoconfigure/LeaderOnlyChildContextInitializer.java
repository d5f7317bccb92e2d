package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.spring.GateServices;
import io.github.leaderelection.spring.LeaderOnlyConfiguration;
import io.github.leaderelection.spring.LeaderOnlyVerifier;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Import;

/**
 * Adds a gate in front of the beans of a context whose parent has a gate, if the context
 * is not auto-configured to have one. The elections are still those of the parent. For
 * contexts that are not created by a {@code SpringApplication},
 * {@link LeaderOnlyVerifier} requires a gate.
 */
final class LeaderOnlyChildContextInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ApplicationContext parent = context.getParent();
		if (parent != null && parent.getBeanProvider(GateServices.class).getIfAvailable() != null
				&& context instanceof BeanDefinitionRegistry registry) {
			new AnnotatedBeanDefinitionReader(registry).register(Gate.class);
		}
	}

	/** An auto-configured context imports the same classes, which are registered once. */
	@Import({ LeaderOnlyConfiguration.class, BoundComponentSettings.class,
			LeaderFenceAutoConfiguration.GuardConfiguration.class })
	static class Gate {

	}

}
