package io.github.leaderelection.spring.bound;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.Lifecycle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Determines the beans that {@link LeaderOnly} binds to the leader instead of gating
 * their methods: each {@link Lifecycle} whose class is annotated, and each bean whose
 * factory method is annotated.
 */
public final class LeaderBound {

	private LeaderBound() {
	}

	/**
	 * Return the annotation that binds a bean to the leader.
	 * @param beanFactory the bean factory
	 * @param beanName the name of the bean
	 * @return the annotation, or {@code null} if there is none
	 */
	public static @Nullable LeaderOnly find(ConfigurableListableBeanFactory beanFactory, String beanName) {
		String name = BeanFactoryUtils.transformedBeanName(beanName);
		LeaderOnly ofMethod = beanFactory.containsBeanDefinition(name) ? ofFactoryMethod(beanFactory, name) : null;
		return (ofMethod != null) ? ofMethod : ofClass(beanFactory, beanName);
	}

	/** Return the annotation on the factory method of a bean. */
	private static @Nullable LeaderOnly ofFactoryMethod(ConfigurableListableBeanFactory beanFactory, String name) {
		if (beanFactory.getBeanDefinition(name) instanceof AnnotatedBeanDefinition annotated
				&& annotated.getFactoryMethodMetadata() != null) {
			return present(annotated.getFactoryMethodMetadata().getAnnotations());
		}
		// Without metadata, as after ahead-of-time processing.
		BeanDefinition definition = beanFactory.getMergedBeanDefinition(name);
		Method method = (definition instanceof RootBeanDefinition root) ? root.getResolvedFactoryMethod() : null;
		return (method != null) ? present(MergedAnnotations.from(method)) : null;
	}

	private static @Nullable LeaderOnly ofClass(ConfigurableListableBeanFactory beanFactory, String beanName) {
		Class<?> type = beanFactory.getType(beanName, false);
		return (type != null && Lifecycle.class.isAssignableFrom(type))
				? present(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)) : null;
	}

	/**
	 * Return the methods by which components are found, and kept from starting.
	 * @param type the class of a bean
	 * @return the methods of the class, and of the listener containers that it creates at
	 * startup
	 */
	public static Collection<Method> methodsOf(Class<?> type) {
		Method getter = ListenerRegistries.getterOf(type);
		Set<@Nullable Method> methods = new LinkedHashSet<>();
		methods.add(Lifecycle.class.isAssignableFrom(type) ? ComponentBinding.autoStartupOf(type) : null);
		if (getter != null) {
			methods.add(getter);
			methods.add(ClassUtils.getMethodIfAvailable(type, ListenerRegistries.IDS));
			methods.add(ComponentBinding.autoStartupOf(getter.getReturnType()));
		}
		return methods.stream().filter(Objects::nonNull).toList();
	}

	/**
	 * Return the {@link LeaderOnly} annotation among other annotations.
	 * @param annotations the annotations
	 * @return the annotation, with the attributes of meta-annotations merged, or
	 * {@code null} if it is absent
	 */
	public static @Nullable LeaderOnly present(MergedAnnotations annotations) {
		return annotations.get(LeaderOnly.class).synthesize(MergedAnnotation::isPresent).orElse(null);
	}

}
