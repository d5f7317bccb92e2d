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
 * Tells which beans {@link LeaderOnly} binds to the leader rather than gates: those that
 * are a {@link Lifecycle} and have it on their class, and those that have it on the
 * method that makes them.
 */
public final class LeaderBound {

	private LeaderBound() {
	}

	/**
	 * Return the annotation that binds a bean to the leader.
	 * @param beanFactory where the bean comes from
	 * @param beanName its name
	 * @return the annotation, or {@code null} if there is none
	 */
	public static @Nullable LeaderOnly find(ConfigurableListableBeanFactory beanFactory, String beanName) {
		String name = BeanFactoryUtils.transformedBeanName(beanName);
		LeaderOnly ofMethod = beanFactory.containsBeanDefinition(name) ? ofFactoryMethod(beanFactory, name) : null;
		return (ofMethod != null) ? ofMethod : ofClass(beanFactory, beanName);
	}

	/** Return the annotation of the method that makes a bean. */
	private static @Nullable LeaderOnly ofFactoryMethod(ConfigurableListableBeanFactory beanFactory, String name) {
		if (beanFactory.getBeanDefinition(name) instanceof AnnotatedBeanDefinition annotated
				&& annotated.getFactoryMethodMetadata() != null) {
			return present(annotated.getFactoryMethodMetadata().getAnnotations());
		}
		// As after processing ahead of time.
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
	 * Return the methods by which components are found, and kept from being started.
	 * @param type the class of a bean
	 * @return those that it has, and those of what it makes when the application starts
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
	 * Return the annotation that is among others.
	 * @param annotations the annotations
	 * @return the annotation, with the attributes of meta-annotations merged, or
	 * {@code null} if it is not there
	 */
	public static @Nullable LeaderOnly present(MergedAnnotations annotations) {
		return annotations.get(LeaderOnly.class).synthesize(MergedAnnotation::isPresent).orElse(null);
	}

}
