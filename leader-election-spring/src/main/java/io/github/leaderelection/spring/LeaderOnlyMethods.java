package io.github.leaderelection.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.LeaderOnly;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods to which {@link LeaderOnly} applies. The annotation is looked for on
 * the method, on all by which it can be called, the nearest first, and then on the class
 * with its superclasses and interfaces; on each as a meta-annotation too.
 */
final class LeaderOnlyMethods {

	private LeaderOnlyMethods() {
	}

	/**
	 * Return the types that tell what a bean's methods are.
	 * @param bean the bean, which may be a proxy
	 * @return the class behind all proxies, and what only the proxy implements
	 */
	static List<Class<?>> typesOf(Object bean) {
		List<Class<?>> types = new ArrayList<>(typesOf(AopProxyUtils.ultimateTargetClass(bean)));
		if (bean instanceof Advised advised) {
			for (Class<?> type : advised.getProxiedInterfaces()) {
				if (types.stream().noneMatch(type::isAssignableFrom)) {
					types.add(type);
				}
			}
		}
		return types;
	}

	/**
	 * Return the types that tell what the methods of a class are.
	 * @param beanClass the class, which may be that of a proxy
	 * @return the class without what was generated around it
	 */
	static List<Class<?>> typesOf(Class<?> beanClass) {
		return Proxy.isProxyClass(beanClass) ? List.of(beanClass.getInterfaces())
				: List.of(ClassUtils.getUserClass(beanClass));
	}

	/**
	 * Find the methods in the types.
	 * @param types the types
	 * @return the methods, none if there is no annotation
	 */
	static Collection<LeaderOnlyMethod> in(List<Class<?>> types) {
		List<LeaderOnlyMethod> methods = new ArrayList<>();
		for (Class<?> type : types) {
			Set<Method> annotated = annotatedIn(type);
			LeaderOnly ofClass = ofClass(type);
			if (!annotated.isEmpty() || ofClass != null) {
				addAll(type, annotated, ofClass, methods);
			}
		}
		return methods;
	}

	/**
	 * Return whether the methods of a bean are to be gated since its class says so.
	 * @param beanClass the class, which may be that of a proxy
	 * @return whether the class or a supertype is annotated, and is about methods
	 */
	static boolean isMeant(Class<?> beanClass) {
		return typesOf(beanClass).stream().anyMatch((type) -> ofClass(type) != null);
	}

	private static @Nullable LeaderOnly ofClass(Class<?> type) {
		return isBound(type) ? null : find(type, SearchStrategy.TYPE_HIERARCHY);
	}

	private static Set<Method> annotatedIn(Class<?> type) {
		Set<Method> annotated = new LinkedHashSet<>();
		for (Class<?> declaringType : MethodFamily.hierarchy(type)) {
			if (AnnotationUtils.isCandidateClass(declaringType, LeaderOnly.class)) {
				for (Method method : MethodFamily.declaredIn(declaringType)) {
					if (find(method, SearchStrategy.DIRECT) != null && !makesWhatMayBeBound(method)) {
						annotated.add(method);
					}
				}
			}
		}
		return annotated;
	}

	/** What can be started and stopped comes and goes with the leader, as a whole. */
	private static boolean isBound(Class<?> type) {
		return Lifecycle.class.isAssignableFrom(type);
	}

	private static boolean makesWhatMayBeBound(Method method) {
		Class<?> made = method.getReturnType();
		return (made.isInterface() || isBound(made)) && AnnotatedElementUtils.hasAnnotation(method, Bean.class);
	}

	private static void addAll(Class<?> type, Set<Method> annotated, @Nullable LeaderOnly ofClass,
			List<LeaderOnlyMethod> methods) {
		MethodFamily.hierarchy(type)
			.stream()
			.map(MethodFamily::declaredIn)
			.flatMap(List::stream)
			.filter(MethodFamily::isAlone)
			.forEach((method) -> {
				// Nobody can be kept from calling it, which is reported.
				MethodFamily alone = new MethodFamily(method, List.of(method));
				if (annotated.contains(method)) {
					methods.add(new LeaderOnlyMethod(type, alone, annotationOf(method), true));
				}
				else if (ofClass != null && LeaderOnlyCallers.isFound(method)) {
					methods.add(new LeaderOnlyMethod(type, alone, ofClass, false));
				}
			});
		for (MethodFamily family : MethodFamily.of(type)) {
			Method nearest = nearest(family, annotated, type);
			if (nearest != null) {
				methods.add(new LeaderOnlyMethod(type, family, annotationOf(nearest), true));
			}
			else if (ofClass != null && isMeant(family)) {
				methods.add(new LeaderOnlyMethod(type, family, ofClass, false));
			}
		}
	}

	/** The annotation of what runs comes before that of what a subclass says of it. */
	private static @Nullable Method nearest(MethodFamily family, Set<Method> annotated, Class<?> type) {
		Set<Class<?>> order = new LinkedHashSet<>(MethodFamily.hierarchy(family.implementation().getDeclaringClass()));
		order.addAll(MethodFamily.hierarchy(type));
		for (Class<?> declaringType : order) {
			for (Method method : family.declarations()) {
				if (method.getDeclaringClass() == declaringType && annotated.contains(method)) {
					return method;
				}
			}
		}
		return null;
	}

	/** Return whether the annotation of a class is meant for the method. */
	private static boolean isMeant(MethodFamily family) {
		Method method = family.implementation();
		return !ReflectionUtils.isObjectMethod(method) && !AopUtils.isFinalizeMethod(method)
				&& !ContainerCallbacks.describes(family);
	}

	private static LeaderOnly annotationOf(Method method) {
		LeaderOnly annotation = find(method, SearchStrategy.DIRECT);
		if (annotation == null) {
			throw new IllegalStateException("No annotation on " + method);
		}
		return annotation;
	}

	private static @Nullable LeaderOnly find(AnnotatedElement element, SearchStrategy strategy) {
		MergedAnnotation<LeaderOnly> annotation = MergedAnnotations.from(element, strategy).get(LeaderOnly.class);
		return annotation.isPresent() ? annotation.synthesize() : null;
	}

}
