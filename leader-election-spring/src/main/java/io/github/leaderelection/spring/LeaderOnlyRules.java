package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * What a method must be so that no call to it can get past the gate.
 */
final class LeaderOnlyRules {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final String ELSEWHERE = "Move what only the leader may do to a Candidate, "
			+ "or to a method of another bean";

	private LeaderOnlyRules() {
	}

	/**
	 * Require that the method can be gated, by whatever proxy.
	 * @param candidate the method
	 * @throws InvalidLeaderOnlyException if it can't
	 */
	static void requireGateable(LeaderOnlyMethod candidate) {
		Method method = candidate.method();
		if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
			throw candidate.invalid("a @Bean method makes a bean on every instance",
					"Annotate methods of the bean it makes, or let that be a Lifecycle");
		}
		if (Modifier.isPrivate(method.getModifiers())) {
			throw candidate.invalid("a private method is not called through the bean's proxy",
					"Make the method public, protected or package-private"
							+ (LeaderOnlyCallers.isFound(method) ? "" : ", and call it from another bean"));
		}
		if (Modifier.isStatic(method.getModifiers())) {
			throw candidate.invalid("a static method is not called through a bean", "Make it an instance method");
		}
		if (ReflectionUtils.isObjectMethod(method) || AopUtils.isFinalizeMethod(method)) {
			throw candidate.invalid("a method of java.lang.Object is not called through the bean's proxy",
					"Give the method another name");
		}
		if (LeaderOnlyCallers.isForBatch(candidate.family())) {
			throw candidate.invalid("Spring Batch calls it on the bean itself, on every instance",
					"Implement the interface of the listener instead");
		}
		if (candidate.direct() && ContainerCallbacks.isCalledOnTheBean(candidate.family())) {
			throw calledOnTheBean(candidate);
		}
		if (ContainerCallbacks.isCalledWithoutLeader(candidate.family())
				|| (candidate.direct() && ContainerCallbacks.describes(candidate.family()))) {
			throw candidate.invalid("the container calls it on every instance, when nobody leads yet or any more",
					candidate.direct() ? ELSEWHERE : "Annotate the methods of the class one by one");
		}
		if (ContainerCallbacks.isCalledAtStartup(candidate)) {
			throw candidate.invalid("it is called at startup, when nobody leads yet, and would never run",
					"Move it to a Candidate, which is called when this instance has begun to lead");
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
	 * Require that no method is one that the container calls on the bean itself, and that
	 * the annotation of a class is for more than these. Comes before they are called.
	 * @param definition the definition
	 * @param beanType the class of the bean
	 * @param methods the methods
	 * @throws InvalidLeaderOnlyException if that is not so
	 */
	static void requireNoCallbacks(RootBeanDefinition definition, Class<?> beanType,
			Collection<LeaderOnlyMethod> methods) {
		List<LeaderOnlyMethod> callbacks = methods.stream()
			.filter((method) -> ContainerCallbacks.isCalledOnTheBean(method.family())
					|| ContainerCallbacks.isNamedBy(definition, method))
			.toList();
		for (LeaderOnlyMethod method : callbacks) {
			if (method.direct()) {
				throw calledOnTheBean(method);
			}
		}
		if (callbacks.size() == methods.size() && LeaderOnlyMethods.isMeant(beanType)) {
			throw new InvalidLeaderOnlyException(ClassUtils.getUserClass(beanType).getName(),
					"the annotation of the class applies to no method that is called through the bean's proxy",
					"Make the methods public, protected or package-private, or remove the annotation");
		}
	}

	private static InvalidLeaderOnlyException calledOnTheBean(LeaderOnlyMethod method) {
		return method.invalid("the container calls it on the bean itself, on every instance", ELSEWHERE);
	}

	/**
	 * Require that whoever calls one of the methods on the proxy meets the gate, by
	 * whichever declaration the call is made.
	 * @param proxy the proxy
	 * @param gate the gate in it
	 * @throws InvalidLeaderOnlyException if somebody doesn't
	 */
	static void requireIntercepted(Object proxy, GateAdvisor gate) {
		boolean byInterfaces = AopUtils.isJdkDynamicProxy(proxy);
		for (LeaderOnlyMethod method : gate.operations().methods()) {
			if (method.isIncidental()) {
				continue;
			}
			if (!byInterfaces) {
				requireOverridden(proxy.getClass(), method);
			}
			for (Method declaration : method.family().declarations()) {
				if (!gate.matches(declaration, method.type())) {
					throw method.invalid("a call of %s does not meet the gate".formatted(declaration),
							"Annotate this method too");
				}
			}
		}
	}

	/**
	 * Require that the methods can be called on the proxy.
	 * @param proxy the proxy, which was made for the gate
	 * @param methods the methods
	 * @throws InvalidLeaderOnlyException if one can't
	 */
	static void requireExposed(Object proxy, Collection<LeaderOnlyMethod> methods) {
		if (AopUtils.isJdkDynamicProxy(proxy)) {
			for (LeaderOnlyMethod method : methods) {
				// Nobody misses a method that only the class is annotated for.
				if (method.direct() && !isExposed(proxy, method)) {
					throw method.invalid("the bean is proxied by its interfaces, and none of them has the method",
							"Add the method to an interface of the bean, or set spring.aop.proxy-target-class=true");
				}
			}
		}
	}

	private static boolean isExposed(Object proxy, LeaderOnlyMethod candidate) {
		return candidate.family()
			.declarations()
			.stream()
			.map(Method::getDeclaringClass)
			.anyMatch((type) -> type.isInterface() && type.isInstance(proxy));
	}

	private static void requireOverridden(Class<?> proxyClass, LeaderOnlyMethod candidate) {
		List<Method> declarations = candidate.family().declarations();
		if (declarations.stream().anyMatch((method) -> Modifier.isFinal(method.getModifiers()))) {
			throw candidate.invalid("a final method is not called through the bean's proxy",
					candidate.direct() ? "Remove final; in Kotlin make the function open"
							: "Remove final, or annotate the methods of the class one by one");
		}
		for (Method method : declarations) {
			if (!ProxyMethods.isOverridden(method, candidate.family(), proxyClass)) {
				throw MethodFamily.isPackagePrivate(method)
						? candidate.invalid(
								"a package-private method of another package is not called through the bean's proxy",
								"Make the method public or protected")
						: candidate.invalid("the bean's proxy does not see a call of %s".formatted(method),
								"Declare the method in the class of the bean too");
			}
			Method other = ProxyMethods.findMistaken(method, candidate, proxyClass);
			if (other != null) {
				throw candidate.invalid("the bean's proxy can't tell it from %s".formatted(other),
						"Give one of the two another name");
			}
		}
	}

}
