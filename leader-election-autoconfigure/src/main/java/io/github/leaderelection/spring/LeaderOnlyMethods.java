package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.LeaderOnly;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods to which {@link LeaderOnly} applies. The annotation is looked for on
 * the method, on those it overrides in superclasses and interfaces, and then on the class
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
		Map<Method, LeaderOnlyMethod> methods = new LinkedHashMap<>();
		for (Class<?> type : types) {
			if (AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
				methods.putAll(MethodIntrospector.selectMethods(type,
						(MethodIntrospector.MetadataLookup<LeaderOnlyMethod>) (method) -> find(method, type)));
			}
		}
		return methods.values();
	}

	private static @Nullable LeaderOnlyMethod find(Method method, Class<?> type) {
		MergedAnnotation<LeaderOnly> annotation = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(LeaderOnly.class);
		if (annotation.isPresent()) {
			return new LeaderOnlyMethod(type, method, annotation.synthesize(), true);
		}
		if (!isReachable(method)) {
			return null;
		}
		annotation = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
		return annotation.isPresent() ? new LeaderOnlyMethod(type, method, annotation.synthesize(), false) : null;
	}

	private static boolean isReachable(Method method) {
		return !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !ReflectionUtils.isObjectMethod(method) && !AopUtils.isFinalizeMethod(method);
	}

}
