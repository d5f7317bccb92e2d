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
 * Gives an application whose parent has a gate one of its own in front of its beans, if
 * it is not auto-configured to have one. The elections stay those of the parent. For
 * contexts that no {@code SpringApplication} makes, {@link LeaderOnlyVerifier} sees to
 * it.
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

	/** Who is auto-configured imports the same, which then counts once. */
	@Import({ LeaderOnlyConfiguration.class, BoundComponentSettings.class,
			LeaderFenceAutoConfiguration.GuardConfiguration.class })
	static class Gate {

	}

}
