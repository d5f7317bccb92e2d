package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.spring.GateServices;
import io.github.leaderelection.spring.JobScheduling;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.spring.LeaderOnlyEarlyBeans;
import io.github.leaderelection.spring.LeaderOnlyPostProcessor;
import io.github.leaderelection.spring.LeaderOnlyVerifier;
import io.github.leaderelection.spring.bound.BoundComponents;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

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
		if (parent != null) {
			context.addBeanFactoryPostProcessor((beanFactory) -> gate(context, parent, beanFactory));
		}
	}

	private static void gate(ConfigurableApplicationContext context, ApplicationContext parent,
			ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.getBeanNamesForType(LeaderOnlyPostProcessor.class, true, false).length > 0
				|| !(beanFactory instanceof BeanDefinitionRegistry registry)) {
			return;
		}
		GateServices services = parent.getBeanProvider(GateServices.class).getIfAvailable();
		if (services == null) {
			return;
		}
		ObjectProvider<JobSettings> jobs = parent.getBeanProvider(JobSettings.class);
		register(registry, "leaderOnlyJobScheduling", BeanDefinitionBuilder.rootBeanDefinition(JobScheduling.class,
				() -> new JobScheduling(jobs::getIfAvailable, beanFactory)));
		register(registry, "leaderOnlyPostProcessor",
				BeanDefinitionBuilder.rootBeanDefinition(LeaderOnlyPostProcessor.class,
						() -> new LeaderOnlyPostProcessor(services,
								context.getEnvironment()::resolveRequiredPlaceholders,
								beanFactory.getBean(JobScheduling.class))));
		register(registry, "leaderOnlyVerifier", BeanDefinitionBuilder.rootBeanDefinition(LeaderOnlyVerifier.class,
				() -> new LeaderOnlyVerifier(beanFactory.getBean(LeaderOnlyPostProcessor.class), context)));
		register(registry, "leaderBoundComponents",
				BeanDefinitionBuilder.rootBeanDefinition(BoundComponents.class, () -> new BoundComponents(context,
						beanFactory.getBeanProvider(LeaderElection.class), BoundComponentSettings.of(context))));
		new LeaderOnlyEarlyBeans().postProcessBeanFactory(beanFactory);
	}

	private static void register(BeanDefinitionRegistry registry, String name, BeanDefinitionBuilder builder) {
		registry.registerBeanDefinition(name, builder.setRole(BeanDefinition.ROLE_INFRASTRUCTURE).getBeanDefinition());
	}

}
