package io.github.leaderelection.spring;

import io.github.leaderelection.spring.bound.LeaderBound;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Refuses beans that need a gate in application contexts without one, around the context
 * that has it and beneath: its post-processors do not see them. A context beneath that
 * can't be refused before it has started is closed.
 */
public final class LeaderOnlyContexts
		implements ApplicationListener<ContextRefreshedEvent>, SmartInitializingSingleton {

	private static final String BENEATH = "its application context has no gate, only the one around it has";

	private static final String AROUND = "its application context has no gate, only one beneath it has";

	private final LeaderOnlyPostProcessor postProcessor;

	private final ApplicationContext context;

	/**
	 * Create an instance.
	 * @param postProcessor what gates the beans of the context
	 * @param context the context that has a gate
	 */
	public LeaderOnlyContexts(LeaderOnlyPostProcessor postProcessor, ApplicationContext context) {
		this.postProcessor = postProcessor;
		this.context = context;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (ApplicationContext around = this.context.getParent(); around != null; around = around.getParent()) {
			if (around.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory beanFactory) {
				requireNothingToGate(beanFactory, AROUND);
			}
		}
	}

	@Override
	public boolean supportsAsyncExecution() {
		// The context beneath must not go on meanwhile.
		return false;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext beneath
				&& beneath != this.context) {
			try {
				requireNothingToGate(beneath.getBeanFactory(), BENEATH);
			}
			catch (InvalidLeaderOnlyException ex) {
				// Somebody may handle errors of listeners, and let it go on.
				beneath.close();
				throw ex;
			}
		}
	}

	private void requireNothingToGate(ConfigurableListableBeanFactory beanFactory, String reason) {
		if (hasGate(beanFactory)) {
			return;
		}
		for (String beanName : beanFactory.getBeanDefinitionNames()) {
			Class<?> type = beanFactory.getBeanDefinition(beanName).isAbstract() ? null
					: beanFactory.getType(beanName, false);
			if (type != null && LeaderBound.find(beanFactory, beanName) != null) {
				throw ungated(beanName, type, reason);
			}
			if (type != null && !isExempt(type) && !this.postProcessor.methodsOf(type).isEmpty()
					&& !isGatedOrMock(beanFactory, beanName)) {
				throw ungated(beanName, type, reason);
			}
		}
		for (String beanName : beanFactory.getSingletonNames()) {
			Object bean = beanFactory.getSingleton(beanName);
			if (bean != null) {
				requireGate(bean, beanName, reason);
			}
		}
		// The class of what is made later may not have been known.
		beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				requireGate(bean, beanName, reason);
				return bean;
			}

		});
	}

	private static boolean hasGate(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.getBeanNamesForType(LeaderOnlyPostProcessor.class, true, false).length > 0
				|| (beanFactory instanceof AbstractBeanFactory factory && factory.getBeanPostProcessors()
					.stream()
					.anyMatch(LeaderOnlyPostProcessor.class::isInstance));
	}

	private static boolean isExempt(Class<?> type) {
		return AopInfrastructureBean.class.isAssignableFrom(type);
	}

	private static boolean isGatedOrMock(ConfigurableListableBeanFactory beanFactory, String beanName) {
		Object bean = beanFactory.getSingleton(beanName);
		return bean != null && (GateAdvisor.isIn(bean) || LeaderOnlyMocks.isMock(bean));
	}

	private void requireGate(Object bean, String beanName, String reason) {
		if (!isExempt(bean.getClass()) && this.postProcessor.appliesTo(bean) && !GateAdvisor.isIn(bean)
				&& !LeaderOnlyMocks.isMock(bean)) {
			throw ungated(beanName, bean.getClass(), reason);
		}
	}

	private static InvalidLeaderOnlyException ungated(String beanName, Class<?> type, String reason) {
		return new InvalidLeaderOnlyException("bean '%s' (%s)".formatted(beanName, type.getName()), reason,
				"Import LeaderOnlyConfiguration into its context, or move the bean");
	}

}
