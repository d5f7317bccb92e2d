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
 * Finds the methods to which {@link LeaderOnly} applies. The annotation is looked for on
 * the method, on all by which it can be called, the nearest first, and then on the class
 * with its superclasses and interfaces; on each as a meta-annotation too.
 * <p>
 * Whoever finds the annotation, gates the calls or checks the proxy asks here which
 * methods belong together, so that the answers can't differ.
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
	static List<LeaderOnlyMethod> in(List<Class<?>> types) {
		List<LeaderOnlyMethod> methods = new ArrayList<>();
		types.forEach((type) -> addMethods(type, methods));
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
				if (found.direct() || isMeant(found)) {
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

	/** What can be started and stopped comes and goes with the leader, as a whole. */
	private static boolean isBound(Class<?> type) {
		return Lifecycle.class.isAssignableFrom(type);
	}

	private static boolean makesWhatMayBeBound(Method method) {
		Class<?> made = method.getReturnType();
		return (made.isInterface() || isBound(made)) && AnnotatedElementUtils.hasAnnotation(method, Bean.class);
	}

	/** The annotation of what runs comes before that of what a subclass says of it. */
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

	/** Return whether the annotation of a class is meant for the method. */
	private static boolean isMeant(LeaderOnlyMethod found) {
		Method method = found.method();
		if (isAlone(method)) {
			// Nobody can be kept from calling it, which is reported.
			return MethodCallers.isFound(method);
		}
		return !ReflectionUtils.isObjectMethod(method) && !AopUtils.isFinalizeMethod(method)
				&& !MethodCallers.describesBean(found);
	}

	/**
	 * Return the types that an instance of the type has, the nearest first.
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

	/** Return the methods of a type; together those that a call can't tell apart. */
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
		if (first == second || isAlone(one) || isAlone(other)) {
			return false;
		}
		if (first.isInterface() || second.isInterface()) {
			return Modifier.isPublic(one.getModifiers()) && Modifier.isPublic(other.getModifiers());
		}
		return first.isAssignableFrom(second) ? isOverridable(one, second) : isOverridable(other, first);
	}

	/** Return whether a method overrides nothing, and nothing overrides it. */
	static boolean isAlone(Method method) {
		return Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers());
	}

	/** Return whether a subclass could override the method, were it not final. */
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
