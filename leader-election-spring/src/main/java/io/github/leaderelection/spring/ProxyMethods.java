package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NativeDetector;

/**
 * Tells which methods the class of a proxy really overrides.
 */
final class ProxyMethods {

	private ProxyMethods() {
	}

	/**
	 * Return whether a call of the method on the proxy runs a method of the proxy.
	 * @param method the method as called, not final
	 * @param family what it leads to
	 * @param proxyClass the class that was generated
	 */
	static boolean isOverridden(Method method, MethodFamily family, Class<?> proxyClass) {
		return isDeclared(method, proxyClass) && (canBeOverriddenIn(proxyClass, method) || family.declarations()
			.stream()
			.anyMatch((between) -> overrides(between, method) && isOverridden(between, family, proxyClass)));
	}

	/**
	 * Find a method that the proxy overrides by the same one of its own, though neither
	 * of the two overrides the other: one is package-private, and there is a class of
	 * another package between them.
	 * @param method the method as called
	 * @param gated what it leads to
	 * @param proxyClass the class that was generated
	 * @return such a method, or {@code null}
	 */
	static @Nullable Method findMistaken(Method method, LeaderOnlyMethod gated, Class<?> proxyClass) {
		for (Class<?> type : MethodFamily.hierarchy(gated.type())) {
			for (Method other : MethodFamily.declaredIn(type)) {
				if (isSame(other, method) && !gated.family().declarations().contains(other)
						&& !Modifier.isPrivate(other.getModifiers()) && !Modifier.isStatic(other.getModifiers())
						&& canBeOverriddenIn(proxyClass, other)) {
					return other;
				}
			}
		}
		return null;
	}

	/** A method of the same package can carry an override on into another one. */
	private static boolean overrides(Method lower, Method upper) {
		Class<?> type = lower.getDeclaringClass();
		return type != upper.getDeclaringClass() && upper.getDeclaringClass().isAssignableFrom(type)
				&& isSame(lower, upper) && canBeOverriddenIn(type, upper);
	}

	private static boolean canBeOverriddenIn(Class<?> type, Method method) {
		return !MethodFamily.isPackagePrivate(method) || MethodFamily.isOfSamePackage(method.getDeclaringClass(), type);
	}

	private static boolean isDeclared(Method method, Class<?> proxyClass) {
		// A native image keeps no record of methods that nobody asks for by reflection.
		return NativeDetector.inNativeImage()
				|| MethodFamily.declaredIn(proxyClass).stream().anyMatch((declared) -> isSame(declared, method));
	}

	private static boolean isSame(Method one, Method other) {
		return one.getName().equals(other.getName()) && one.getReturnType() == other.getReturnType()
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

}
