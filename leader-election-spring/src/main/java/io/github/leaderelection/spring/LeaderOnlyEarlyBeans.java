package io.github.leaderelection.spring;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Prepares a bean factory before any bean is made: refuses beans that need a gate and are
 * made before there is one, for the sake of another post-processor, since a prototype is
 * known to nobody later; and sees to it that scheduled calls can be told from others.
 */
public final class LeaderOnlyEarlyBeans implements BeanFactoryPostProcessor, PriorityOrdered {

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		RecordedTaskProcessor.replaceIn(beanFactory);
		if (beanFactory instanceof AbstractBeanFactory factory) {
			factory.addBeanPostProcessor(new Guard(factory));
		}
	}

	private static final class Guard implements BeanPostProcessor {

		private final AbstractBeanFactory beanFactory;

		private volatile boolean relieved;

		Guard(AbstractBeanFactory beanFactory) {
			this.beanFactory = beanFactory;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!isRelieved() && !(bean instanceof AopInfrastructureBean)
					&& !LeaderOnlyMethods.in(LeaderOnlyMethods.typesOf(bean)).isEmpty()
					&& !LeaderOnlyMocks.isMock(bean)) {
				throw LeaderOnlyVerifier.noGate(bean, beanName);
			}
			return bean;
		}

		private boolean isRelieved() {
			if (!this.relieved) {
				this.relieved = this.beanFactory.getBeanPostProcessors()
					.stream()
					.anyMatch(LeaderOnlyPostProcessor.class::isInstance);
			}
			return this.relieved;
		}

	}

}
