package io.github.leaderelection.spring;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
		if (beanFactory.containsBeanDefinition(RecordedTaskProcessor.NAME)) {
			RecordedTaskProcessor.replaceIn(beanFactory);
		}
		beanFactory.addBeanPostProcessor(LeaderOnlyVerifier.guard(beanFactory, LeaderOnlyVerifier::overtaken));
	}

}
