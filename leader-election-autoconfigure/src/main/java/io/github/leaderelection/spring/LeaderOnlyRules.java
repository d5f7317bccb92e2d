package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What a method must be so that no call to it can get past the gate.
 */
final class LeaderOnlyRules {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private LeaderOnlyRules() {
	}

	/**
	 * Require that the method can be gated, by whatever proxy.
	 * @param candidate the method
	 * @throws InvalidLeaderOnlyException if it can't
	 */
	static void requireGateable(LeaderOnlyMethod candidate) {
		Method method = candidate.method();
		if (Modifier.isPrivate(method.getModifiers())) {
			throw candidate.invalid("a private method is not called through the bean's proxy",
					"Make the method public, protected or package-private, and call it from another bean");
		}
		if (Modifier.isStatic(method.getModifiers())) {
			throw candidate.invalid("a static method is not called through a bean", "Make it an instance method");
		}
		if (ReflectionUtils.isObjectMethod(method) || AopUtils.isFinalizeMethod(method)) {
			throw candidate.invalid("a method of java.lang.Object is not called through the bean's proxy",
					"Give the method another name");
		}
		if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
			throw candidate.invalid("a @Bean method makes a bean on every instance",
					"Annotate methods of the bean it makes");
		}
		if (isSuspending(method)) {
			throw candidate.invalid("a suspending function goes on after its call has returned",
					"Make it a regular function, or let it return a Mono or a Flux");
		}
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] types = method.getParameterTypes();
		return types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION);
	}

	/**
	 * Require that the proxy hands every call of the methods to its advice.
	 * @param proxy the proxy
	 * @param methods the methods
	 * @throws InvalidLeaderOnlyException if it doesn't
	 */
	static void requireIntercepted(Object proxy, Collection<LeaderOnlyMethod> methods) {
		if (AopUtils.isJdkDynamicProxy(proxy)) {
			methods.stream().filter(LeaderOnlyMethod::direct).forEach((method) -> requireExposed(proxy, method));
		}
		else {
			methods.forEach((method) -> requireOverridable(proxy, method));
		}
	}

	private static void requireExposed(Object proxy, LeaderOnlyMethod candidate) {
		Set<Method> exposed = Arrays.stream(proxy.getClass().getInterfaces())
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.map((method) -> AopUtils.getMostSpecificMethod(method, candidate.type()))
			.collect(Collectors.toSet());
		if (!exposed.contains(candidate.method())) {
			throw candidate.invalid("the bean is proxied by its interfaces, and none of them has the method",
					"Add the method to an interface of the bean, or set spring.aop.proxy-target-class=true");
		}
	}

	private static void requireOverridable(Object proxy, LeaderOnlyMethod candidate) {
		Method method = candidate.method();
		if (Modifier.isFinal(method.getModifiers())) {
			throw candidate.invalid("a final method is not called through the bean's proxy",
					candidate.direct() ? "Remove final; in Kotlin make the function open"
							: "Remove final, or annotate the methods of the class one by one");
		}
		if (isPackagePrivate(method) && !isOfSamePackage(method.getDeclaringClass(), proxy.getClass())) {
			throw candidate.invalid(
					"a package-private method of another package is not called through the bean's proxy",
					"Make the method public or protected");
		}
	}

	private static boolean isPackagePrivate(Method method) {
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
	}

	private static boolean isOfSamePackage(Class<?> declaringClass, Class<?> proxyClass) {
		return declaringClass.getPackageName().equals(proxyClass.getPackageName())
				&& declaringClass.getClassLoader() == proxyClass.getClassLoader();
	}

}
