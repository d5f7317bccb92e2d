package io.github.leaderelection.spring;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Prepares a bean factory before any bean is created. Refuses beans that need a gate but
 * are created before there is one, because another post-processor depends on them; a
 * later check would miss prototypes. Also replaces Spring's processor of
 * {@code @Scheduled}, so that scheduled calls can be told from others.
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
		beanFactory.addBeanPostProcessor(LeaderOnlyVerifier.guard(beanFactory, LeaderOnlyVerifier::ungated));
	}

}
