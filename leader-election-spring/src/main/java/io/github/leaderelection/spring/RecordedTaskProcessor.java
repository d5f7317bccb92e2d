package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.type.MethodMetadata;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.SchedulingConfiguration;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Takes the place of Spring's processor of {@code @Scheduled}, and does what that one
 * does, except that the tasks of methods whose runs are recorded are
 * {@linkplain RecordedTask recorded tasks}.
 */
public final class RecordedTaskProcessor extends ScheduledAnnotationBeanPostProcessor {

	static final String NAME = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;

	private @Nullable BeanFactory beanFactory;

	/**
	 * Put an instance in the place of Spring's, if there is one. A processor of somebody
	 * else stays where it is.
	 * @param beanFactory where it is defined
	 */
	static void replaceIn(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory instanceof BeanDefinitionRegistry registry && registry.containsBeanDefinition(NAME)
				&& isOfSpring(registry.getBeanDefinition(NAME))) {
			RootBeanDefinition definition = new RootBeanDefinition(RecordedTaskProcessor.class);
			definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			definition.setPropertyValues(registry.getBeanDefinition(NAME).getPropertyValues());
			registry.removeBeanDefinition(NAME);
			registry.registerBeanDefinition(NAME, definition);
		}
	}

	/** By {@code @EnableScheduling}, or in XML. */
	private static boolean isOfSpring(BeanDefinition definition) {
		if (definition.getFactoryMethodName() == null) {
			return ScheduledAnnotationBeanPostProcessor.class.getName().equals(definition.getBeanClassName())
					&& !(definition instanceof AbstractBeanDefinition made && made.getInstanceSupplier() != null);
		}
		MethodMetadata method = (definition instanceof AnnotatedBeanDefinition annotated)
				? annotated.getFactoryMethodMetadata() : null;
		return method != null && SchedulingConfiguration.class.getName().equals(method.getDeclaringClassName());
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		this.beanFactory = beanFactory;
	}

	@Override
	protected Runnable createRunnable(Object target, Method method, @Nullable String qualifier) {
		Runnable task = super.createRunnable(target, method, qualifier);
		return (task instanceof ScheduledMethodRunnable call) ? jobs().taskFor(call, method) : task;
	}

	/** All who configure the scheduler have done so then. */
	@Override
	public void onApplicationEvent(ApplicationContextEvent event) {
		super.onApplicationEvent(event);
		if (event instanceof ContextRefreshedEvent) {
			jobs().registerWaiting();
		}
	}

	private JobScheduling jobs() {
		return Objects.requireNonNull(this.beanFactory).getBean(JobScheduling.class);
	}

}
