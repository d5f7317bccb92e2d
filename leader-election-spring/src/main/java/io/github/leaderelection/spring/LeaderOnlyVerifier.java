package io.github.leaderelection.spring;

import java.util.List;
import java.util.function.BiFunction;

import io.github.leaderelection.spring.bound.LeaderBound;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;

/**
 * Verifies that every bean that needs a gate has one, in its place. Checks each bean
 * after all other post-processors, and all singletons once more when they exist, since
 * some are created too early to be post-processed.
 * <p>
 * This context's post-processors do not see the beans of its parents and children. Each
 * of these contexts must have a gate of its own, or no bean that needs one. A child
 * context that violates this, and can't be refused before it has started, is closed.
 */
public final class LeaderOnlyVerifier implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton,
		ApplicationListener<ContextRefreshedEvent>, Ordered {

	private static final String BENEATH = "its application context has no gate, only its parent context has one";

	private static final String AROUND = "its application context has no gate, only a child context has one";

	private final LeaderOnlyPostProcessor postProcessor;

	private final ConfigurableApplicationContext context;

	/**
	 * Create a verifier.
	 * @param postProcessor the post-processor that gates the beans
	 * @param context the context of the beans
	 */
	public LeaderOnlyVerifier(LeaderOnlyPostProcessor postProcessor, ConfigurableApplicationContext context) {
		this.postProcessor = postProcessor;
		this.context = context;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> beanType, String beanName) {
		// The post-processors for annotations run earlier and have noted what they will
		// call.
		List<LeaderOnlyMethod> methods = this.postProcessor.methodsOf(beanType);
		LeaderOnlyRules.requireNoCallbacks(definition, beanType, methods);
		if (!methods.isEmpty()) {
			requireProxied(definition, beanType, beanName);
		}
	}

	/**
	 * Refuse definitions by which the container may hand out a bean without its proxy.
	 */
	private void requireProxied(RootBeanDefinition definition, Class<?> beanType, String beanName) {
		if (definition.isSynthetic()) {
			throw InvalidLeaderOnlyException.ofBean(beanName, beanType,
					"the definition of the bean is synthetic, which keeps bean post-processors from it",
					"Remove setSynthetic(true)");
		}
		if (beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
			throw InvalidLeaderOnlyException.ofBean(beanName, beanType,
					"Spring does not proxy a bean whose name ends in %s"
						.formatted(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX),
					"Give the bean another name");
		}
		if (this.context.getBeanFactory() instanceof AbstractAutowireCapableBeanFactory factory
				&& factory.isAllowCircularReferences() && factory.isAllowRawInjectionDespiteWrapping()) {
			throw InvalidLeaderOnlyException.ofBean(beanName, beanType,
					"beans in a circular reference may get it without its gate",
					"Remove setAllowRawInjectionDespiteWrapping(true)");
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		GateAdvisor gate = this.postProcessor.findGate(bean, beanName);
		if (gate != null && bean instanceof Advised advised && !advised.isFrozen()) {
			gate.placeIn(advised);
		}
		verify(bean, beanName);
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		for (String beanName : beanFactory.getSingletonNames()) {
			Object bean = beanFactory.getSingleton(beanName);
			verify(bean, beanName);
			if (bean instanceof FactoryBean<?> factoryBean && factoryBean.isSingleton()
					&& factoryBean.getObjectType() != null
					&& !this.postProcessor.methodsOf(factoryBean.getObjectType()).isEmpty()) {
				verify(beanFactory.getBean(beanName), beanName);
			}
		}
		for (ApplicationContext around = this.context.getParent(); around != null; around = around.getParent()) {
			requireNothingToGate(around.getAutowireCapableBeanFactory(), AROUND);
		}
	}

	private void verify(@Nullable Object bean, String beanName) {
		if (bean != null && this.postProcessor.findGate(bean, beanName) != null && GateAdvisor.isMissing(bean)) {
			throw ungated(beanName, bean.getClass());
		}
	}

	@Override
	public boolean supportsAsyncExecution() {
		// The child context must wait for this check.
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
				// An error handler for listeners may swallow the exception.
				beneath.close();
				throw ex;
			}
		}
	}

	private void requireNothingToGate(BeanFactory foreign, String reason) {
		BiFunction<String, Class<?>, InvalidLeaderOnlyException> refusal = (beanName,
				type) -> InvalidLeaderOnlyException.ofBean(beanName, type, reason,
						"Import LeaderOnlyConfiguration into its context, or move the bean");
		if (!(foreign instanceof ConfigurableListableBeanFactory beanFactory) || hasGate(foreign)) {
			return;
		}
		for (String beanName : beanFactory.getBeanDefinitionNames()) {
			Class<?> type = beanFactory.getBeanDefinition(beanName).isAbstract() ? null
					: beanFactory.getType(beanName, false);
			if (type != null
					&& (LeaderBound.find(beanFactory, beanName) != null || isUngated(beanFactory, beanName, type))) {
				throw refusal.apply(beanName, type);
			}
		}
		// The classes of beans that are created later may not be known yet.
		BeanPostProcessor guard = guard(beanFactory, refusal);
		for (String beanName : beanFactory.getSingletonNames()) {
			Object bean = beanFactory.getSingleton(beanName);
			if (bean != null) {
				guard.postProcessAfterInitialization(bean, beanName);
			}
		}
		beanFactory.addBeanPostProcessor(guard);
	}

	private boolean isUngated(ConfigurableListableBeanFactory beanFactory, String beanName, Class<?> type) {
		if (AopInfrastructureBean.class.isAssignableFrom(type) || this.postProcessor.methodsOf(type).isEmpty()) {
			return false;
		}
		Object bean = beanFactory.getSingleton(beanName);
		return bean == null || GateAdvisor.isMissing(bean);
	}

	private static boolean hasGate(BeanFactory beanFactory) {
		return beanFactory instanceof AbstractBeanFactory factory
				&& factory.getBeanPostProcessors().stream().anyMatch(LeaderOnlyPostProcessor.class::isInstance);
	}

	/**
	 * Return a post-processor that refuses beans which need a gate, as long as their bean
	 * factory has none.
	 */
	static BeanPostProcessor guard(BeanFactory beanFactory,
			BiFunction<String, Class<?>, InvalidLeaderOnlyException> refusal) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (!hasGate(beanFactory) && !(bean instanceof AopInfrastructureBean)
						&& !LeaderOnlyMethods.in(LeaderOnlyMethods.typesOf(bean)).isEmpty()
						&& GateAdvisor.isMissing(bean)) {
					throw refusal.apply(beanName, bean.getClass());
				}
				return bean;
			}

		};
	}

	/** Return the exception for an ungated bean in a context that has a gate. */
	static InvalidLeaderOnlyException ungated(String beanName, Class<?> type) {
		return InvalidLeaderOnlyException.ofBean(beanName, type,
				"the bean has no gate, since it was created before the bean post-processors, "
						+ "registered as an instance, or replaced after it was proxied",
				"Don't let bean post-processors depend on it; declare it by its class or a @Bean method, "
						+ "and move the annotated methods to a bean of their own if need be");
	}

}
