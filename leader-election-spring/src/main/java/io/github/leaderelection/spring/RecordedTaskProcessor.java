package io.github.leaderelection.spring;

import java.lang.reflect.Method;

import io.github.leaderelection.job.PlannedRun;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.type.MethodMetadata;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.SchedulingConfiguration;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Replaces Spring's processor of {@code @Scheduled}, and behaves the same, except that
 * methods whose runs are recorded get {@linkplain RecordedTask recorded tasks}.
 */
public final class RecordedTaskProcessor extends ScheduledAnnotationBeanPostProcessor {

	static final String NAME = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;

	private final JobScheduling jobs;

	RecordedTaskProcessor(JobScheduling jobs) {
		this.jobs = jobs;
	}

	/**
	 * Replace Spring's processor with an instance of this class. A processor that the
	 * application has defined stays in place.
	 * @param beanFactory the bean factory that defines it
	 */
	static void replaceIn(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory instanceof BeanDefinitionRegistry registry && isOfSpring(registry.getBeanDefinition(NAME))) {
			RootBeanDefinition definition = new RootBeanDefinition(RecordedTaskProcessor.class);
			definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			definition.setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR);
			definition.setPropertyValues(registry.getBeanDefinition(NAME).getPropertyValues());
			registry.removeBeanDefinition(NAME);
			registry.registerBeanDefinition(NAME, definition);
		}
	}

	/** Return whether {@code @EnableScheduling}, or XML, has defined the processor. */
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
	protected Runnable createRunnable(Object target, Method method, @Nullable String qualifier) {
		GateAdvisor gate = GateAdvisor.in(target);
		GateOperation operation = (gate != null) ? gate.find(method) : null;
		RecordedMethod recorded = (operation != null) ? operation.recorded() : null;
		Runnable task = super.createRunnable(target, method, qualifier);
		return (recorded != null && task instanceof ScheduledMethodRunnable call) ? new RecordedTask(call.getTarget(),
				call.getMethod(), qualifier, recorded, PlannedRun.tick(), this.jobs::observations, () -> {
				}) : task;
	}

}
