package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.bound.LeaderBound;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods to which {@link LeaderOnly} applies. Looks for the annotation on the
 * method, on all methods by which it can be called, the nearest first, and then on the
 * class with its superclasses and interfaces. Meta-annotations are found, too.
 * <p>
 * The search for annotations, the gate and the check of proxies all use this class to
 * tell which methods belong together, so that they can't disagree.
 */
final class LeaderOnlyMethods {

	private LeaderOnlyMethods() {
	}

	/**
	 * Return the types that determine the methods of a bean.
	 * @param bean the bean, which may be a proxy
	 * @return the class behind all proxies, and the interfaces that only the proxy
	 * implements
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
	 * Return the types that determine the methods of a class.
	 * @param beanClass the class, which may be that of a proxy
	 * @return the class behind a generated subclass, or the interfaces of a JDK proxy
	 */
	static List<Class<?>> typesOf(Class<?> beanClass) {
		return Proxy.isProxyClass(beanClass) ? List.of(beanClass.getInterfaces())
				: List.of(ClassUtils.getUserClass(beanClass));
	}

	/**
	 * Find the methods in the types.
	 * @param types the types
	 * @return the methods, empty if there is no annotation
	 */
	static List<LeaderOnlyMethod> in(List<Class<?>> types) {
		List<LeaderOnlyMethod> methods = new ArrayList<>();
		types.forEach((type) -> addMethods(type, methods));
		return methods;
	}

	/**
	 * Return whether the annotation of a class gates the methods of its beans.
	 * @param beanClass the class, which may be that of a proxy
	 * @return whether the class or a supertype is annotated, and the class is not a
	 * {@link Lifecycle}
	 */
	static boolean isGated(Class<?> beanClass) {
		return typesOf(beanClass).stream().anyMatch((type) -> ofClass(type) != null);
	}

	private static void addMethods(Class<?> type, List<LeaderOnlyMethod> methods) {
		Map<Method, LeaderOnly> annotated = annotatedIn(type);
		LeaderOnly ofClass = ofClass(type);
		if (annotated.isEmpty() && ofClass == null) {
			return;
		}
		for (List<Method> declarations : familiesIn(type)) {
			Method method = implementationIn(declarations);
			LeaderOnly ofMethod = nearest(method, declarations, type, annotated);
			LeaderOnly annotation = (ofMethod != null) ? ofMethod : ofClass;
			if (annotation != null) {
				LeaderOnlyMethod found = new LeaderOnlyMethod(type, method, declarations, annotation, ofMethod != null);
				if (found.direct() || isAppliedTo(found)) {
					methods.add(found);
				}
			}
		}
	}

	private static @Nullable LeaderOnly ofClass(Class<?> type) {
		return isBound(type) ? null : LeaderBound.present(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
	}

	private static Map<Method, LeaderOnly> annotatedIn(Class<?> type) {
		Map<Method, LeaderOnly> annotated = new HashMap<>();
		for (Class<?> declaringType : hierarchy(type)) {
			if (AnnotationUtils.isCandidateClass(declaringType, LeaderOnly.class)) {
				for (Method method : declaringType.getDeclaredMethods()) {
					LeaderOnly annotation = LeaderBound.present(MergedAnnotations.from(method));
					if (annotation != null && !makesWhatMayBeBound(method)) {
						annotated.put(method, annotation);
					}
				}
			}
		}
		return annotated;
	}

	/**
	 * Return whether beans are started and stopped with the leader as a whole instead.
	 */
	private static boolean isBound(Class<?> type) {
		return Lifecycle.class.isAssignableFrom(type);
	}

	private static boolean makesWhatMayBeBound(Method method) {
		Class<?> made = method.getReturnType();
		return (made.isInterface() || isBound(made)) && AnnotatedElementUtils.hasAnnotation(method, Bean.class);
	}

	/**
	 * Find the nearest annotation: seen from the class that declares the method that
	 * runs, and then from the bean's class.
	 */
	private static @Nullable LeaderOnly nearest(Method method, List<Method> declarations, Class<?> type,
			Map<Method, LeaderOnly> annotated) {
		for (Class<?> from : List.of(method.getDeclaringClass(), type)) {
			for (Class<?> declaringType : hierarchy(from)) {
				for (Method declaration : declarations) {
					if (declaration.getDeclaringClass() == declaringType && annotated.containsKey(declaration)) {
						return annotated.get(declaration);
					}
				}
			}
		}
		return null;
	}

	/** Return whether the annotation of a class applies to the method. */
	private static boolean isAppliedTo(LeaderOnlyMethod found) {
		Method method = found.method();
		if (isPrivateOrStatic(method)) {
			// It can't be gated, which is an error if a framework calls it.
			return MethodCallers.isCalledByFramework(method);
		}
		return !ReflectionUtils.isObjectMethod(method) && !AopUtils.isFinalizeMethod(method)
				&& !MethodCallers.describesBean(found);
	}

	/**
	 * Return the type and its supertypes, the nearest first.
	 * @param type a class or an interface
	 * @return the type, its interfaces, its superclass, and so on, without {@code Object}
	 */
	static Set<Class<?>> hierarchy(Class<?> type) {
		Set<Class<?>> types = new LinkedHashSet<>();
		addHierarchy(type, types);
		return types;
	}

	private static void addHierarchy(@Nullable Class<?> type, Set<Class<?>> types) {
		if (type != null && type != Object.class && types.add(type)) {
			for (Class<?> superinterface : type.getInterfaces()) {
				addHierarchy(superinterface, types);
			}
			addHierarchy(type.getSuperclass(), types);
		}
	}

	/** Return the methods of a type, grouped by those that override each other. */
	private static List<List<Method>> familiesIn(Class<?> type) {
		List<List<Method>> families = new ArrayList<>();
		for (Class<?> declaringType : hierarchy(type)) {
			for (Method method : declaringType.getDeclaredMethods()) {
				List<Method> family = new ArrayList<>();
				families.removeIf((other) -> other.stream().anyMatch((member) -> overrides(member, method, type))
						&& family.addAll(other));
				family.add(method);
				families.add(family);
			}
		}
		return families;
	}

	/** Return whether one of the two overrides or implements the other in the type. */
	private static boolean overrides(Method one, Method other, Class<?> type) {
		return one.getName().equals(other.getName()) && one.getParameterCount() == other.getParameterCount()
				&& canOverride(one, other) && (Arrays.equals(one.getParameterTypes(), other.getParameterTypes())
						|| Arrays.equals(parametersIn(type, one), parametersIn(type, other)));
	}

	private static boolean canOverride(Method one, Method other) {
		Class<?> first = one.getDeclaringClass();
		Class<?> second = other.getDeclaringClass();
		if (first == second || isPrivateOrStatic(one) || isPrivateOrStatic(other)) {
			return false;
		}
		if (first.isInterface() || second.isInterface()) {
			return Modifier.isPublic(one.getModifiers()) && Modifier.isPublic(other.getModifiers());
		}
		return first.isAssignableFrom(second) ? isOverridable(one, second) : isOverridable(other, first);
	}

	/** Return whether a method neither overrides others nor can be overridden. */
	static boolean isPrivateOrStatic(Method method) {
		return Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers());
	}

	/** Return whether a subclass could override the method if it were not final. */
	static boolean isOverridable(Method method, Class<?> subclass) {
		Class<?> type = method.getDeclaringClass();
		return !isPackagePrivate(method) || (type.getPackageName().equals(subclass.getPackageName())
				&& type.getClassLoader() == subclass.getClassLoader());
	}

	static boolean isPackagePrivate(Method method) {
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
	}

	private static Class<?>[] parametersIn(Class<?> type, Method method) {
		Class<?>[] parameterTypes = method.getParameterTypes();
		for (int i = 0; i < parameterTypes.length; i++) {
			parameterTypes[i] = ResolvableType.forMethodParameter(method, i, type).resolve(parameterTypes[i]);
		}
		return parameterTypes;
	}

	private static Method implementationIn(List<Method> family) {
		return family.stream().reduce((best, method) -> isBetter(method, best) ? method : best).orElseThrow();
	}

	private static boolean isBetter(Method method, Method best) {
		if (method.isBridge() != best.isBridge()) {
			return best.isBridge();
		}
		Class<?> declaringClass = method.getDeclaringClass();
		if (declaringClass.isInterface() != best.getDeclaringClass().isInterface()) {
			return !declaringClass.isInterface();
		}
		return best.getDeclaringClass() != declaringClass && best.getDeclaringClass().isAssignableFrom(declaringClass);
	}

}
