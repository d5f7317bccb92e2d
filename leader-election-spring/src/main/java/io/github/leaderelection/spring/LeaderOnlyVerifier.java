package io.github.leaderelection.spring;

import java.util.Collection;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/**
 * Sees to it that every bean that needs a gate has one, in its place. Sees each bean
 * after all other post-processors, and all singletons once more when they exist, since
 * some are made too early to be post-processed.
 */
public final class LeaderOnlyVerifier
		implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton, Ordered {

	private final LeaderOnlyPostProcessor postProcessor;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a verifier.
	 * @param postProcessor what gates the beans
	 * @param beanFactory where they come from
	 */
	public LeaderOnlyVerifier(LeaderOnlyPostProcessor postProcessor, ConfigurableListableBeanFactory beanFactory) {
		this.postProcessor = postProcessor;
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> beanType, String beanName) {
		// Those for annotations come earlier and have noted what they will call.
		Collection<LeaderOnlyMethod> methods = this.postProcessor.methodsOf(beanType);
		LeaderOnlyRules.requireNoCallbacks(definition, beanType, methods);
		if (!methods.isEmpty()) {
			requireProxied(definition, beanType, beanName);
		}
	}

	/** There are ways to ask the container for a bean without a proxy. */
	private void requireProxied(RootBeanDefinition definition, Class<?> beanType, String beanName) {
		String place = "bean '%s' (%s)".formatted(beanName, beanType.getName());
		if (definition.isSynthetic()) {
			throw new InvalidLeaderOnlyException(place,
					"the definition of the bean is synthetic, " + "which keeps bean post-processors from it",
					"Remove setSynthetic(true)");
		}
		if (beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
			throw new InvalidLeaderOnlyException(place, "a bean whose name ends in %s is not to be proxied"
				.formatted(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX), "Give the bean another name");
		}
		if (this.beanFactory instanceof AbstractAutowireCapableBeanFactory factory
				&& factory.isAllowCircularReferences() && factory.isAllowRawInjectionDespiteWrapping()) {
			throw new InvalidLeaderOnlyException(place, "beans that refer to each other may get it without its gate",
					"Remove setAllowRawInjectionDespiteWrapping(true)");
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		GateAdvisor gate = this.postProcessor.findGate(bean, beanName);
		if (gate != null && bean instanceof Advised advised && !advised.isFrozen()) {
			gate.placeIn(advised);
		}
		if (gate != null) {
			requireGate(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.postProcessor.requireFence();
		for (String beanName : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(beanName);
			if (bean != null) {
				verify(bean, beanName);
			}
			if (bean instanceof FactoryBean<?> factoryBean) {
				verifyProduct(factoryBean, beanName);
			}
		}
	}

	private void verifyProduct(FactoryBean<?> factoryBean, String beanName) {
		Class<?> type = factoryBean.getObjectType();
		if (type != null && factoryBean.isSingleton() && this.postProcessor.isEligible(type)) {
			verify(this.beanFactory.getBean(beanName), beanName);
		}
	}

	private void verify(Object bean, String beanName) {
		if (this.postProcessor.findGate(bean, beanName) != null && !LeaderOnlyMocks.isMock(bean)) {
			requireGate(bean, beanName);
		}
	}

	private static void requireGate(Object bean, String beanName) {
		if (!GateAdvisor.isIn(bean)) {
			throw noGate(bean, beanName);
		}
	}

	static InvalidLeaderOnlyException noGate(Object bean, String beanName) {
		return new InvalidLeaderOnlyException("bean '%s' (%s)".formatted(beanName, bean.getClass().getName()),
				"the bean has no gate, since it was made before bean post-processors were, "
						+ "registered as an instance, or replaced after it was proxied",
				"Don't let bean post-processors depend on it; declare it by its class or a @Bean method, "
						+ "and move the annotated methods to a bean of their own if need be");
	}

}
