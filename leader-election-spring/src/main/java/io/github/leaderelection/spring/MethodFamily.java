package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * The methods by which one implementation can be called: itself, what it overrides in
 * superclasses and interfaces, and the bridges that the compiler has put in between. They
 * share one gate. To find the annotation, to gate the calls and to check the proxy are
 * questions about the same families, so that the answers can't differ.
 *
 * @param implementation what runs, or the most specific declaration if nothing does; a
 * bridge only where there is nothing else
 * @param declarations all methods of the family, the nearest to the type first
 */
record MethodFamily(Method implementation, List<Method> declarations) {

	/**
	 * Return the families of all methods that are called on an instance, other than those
	 * of {@code Object}.
	 * @param type a class or an interface
	 * @return the families, none of which has a private or a static method
	 */
	static List<MethodFamily> of(Class<?> type) {
		Map<String, List<Set<Method>>> families = new LinkedHashMap<>();
		for (Class<?> declaringType : hierarchy(type)) {
			for (Method method : declaredIn(declaringType)) {
				if (!isAlone(method)) {
					add(method, families.computeIfAbsent(method.getName() + "/" + method.getParameterCount(),
							(key) -> new ArrayList<>()), type);
				}
			}
		}
		return families.values()
			.stream()
			.flatMap(Collection::stream)
			.map((methods) -> new MethodFamily(implementationIn(methods), List.copyOf(methods)))
			.toList();
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

	/** Return the methods that the type declares, static and private ones too. */
	static List<Method> declaredIn(Class<?> type) {
		List<Method> methods = new ArrayList<>();
		// Keeps them for the next who asks; adds those of interfaces, which come anyway.
		ReflectionUtils.doWithLocalMethods(type, (method) -> {
			if (method.getDeclaringClass() == type) {
				methods.add(method);
			}
		});
		return methods;
	}

	private static void add(Method method, List<Set<Method>> families, Class<?> type) {
		Set<Method> family = new LinkedHashSet<>();
		for (Iterator<Set<Method>> all = families.iterator(); all.hasNext();) {
			Set<Method> other = all.next();
			if (other.stream().anyMatch((member) -> overrides(member, method, type))) {
				family.addAll(other);
				all.remove();
			}
		}
		family.add(method);
		families.add(family);
	}

	/** Return whether one of the two overrides or implements the other in the type. */
	private static boolean overrides(Method one, Method other, Class<?> type) {
		Class<?> first = one.getDeclaringClass();
		Class<?> second = other.getDeclaringClass();
		return first != second && canOverride(one, other)
				&& (Arrays.equals(one.getParameterTypes(), other.getParameterTypes())
						|| Arrays.equals(parametersIn(type, one), parametersIn(type, other)));
	}

	private static boolean canOverride(Method one, Method other) {
		Class<?> first = one.getDeclaringClass();
		Class<?> second = other.getDeclaringClass();
		if (first.isInterface() || second.isInterface()) {
			return Modifier.isPublic(one.getModifiers()) && Modifier.isPublic(other.getModifiers());
		}
		Method upper = first.isAssignableFrom(second) ? one : other;
		return !isPackagePrivate(upper) || isOfSamePackage(first, second);
	}

	/** Return whether a method overrides nothing, and nothing overrides it. */
	static boolean isAlone(Method method) {
		return Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers());
	}

	static boolean isPackagePrivate(Method method) {
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
	}

	static boolean isOfSamePackage(Class<?> one, Class<?> other) {
		return one.getPackageName().equals(other.getPackageName()) && one.getClassLoader() == other.getClassLoader();
	}

	private static Class<?>[] parametersIn(Class<?> type, Method method) {
		Class<?>[] parameterTypes = method.getParameterTypes();
		for (int i = 0; i < parameterTypes.length; i++) {
			parameterTypes[i] = ResolvableType.forMethodParameter(method, i, type).resolve(parameterTypes[i]);
		}
		return parameterTypes;
	}

	private static Method implementationIn(Set<Method> family) {
		Method best = null;
		for (Method method : family) {
			if (best == null || isBetter(method, best)) {
				best = method;
			}
		}
		return (best != null) ? best : family.iterator().next();
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
