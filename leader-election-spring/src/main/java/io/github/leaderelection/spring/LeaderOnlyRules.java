package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.github.leaderelection.LeaderOnly.Otherwise;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.NativeDetector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks that no call of a method can bypass its gate, and that skipping a call does no
 * harm.
 */
final class LeaderOnlyRules {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final String ELSEWHERE = "Move what only the leader may do to a Candidate, "
			+ "or to a method of another bean";

	private static final String ON_THE_BEAN = "the container calls it on the bean itself, on every instance";

	private LeaderOnlyRules() {
	}

	/**
	 * Require that the method can be gated, by any kind of proxy.
	 * @param gated the method
	 * @throws InvalidLeaderOnlyException if it can't
	 */
	static void requireGateable(LeaderOnlyMethod gated) {
		Method method = gated.method();
		boolean direct = gated.direct();
		refuseIf(AnnotatedElementUtils.hasAnnotation(method, Bean.class), gated,
				"a @Bean method makes a bean on every instance",
				"Annotate methods of the bean it makes, call LeaderElection.runIfLeader in them, or let it implement Lifecycle");
		refuseIf(Modifier.isPrivate(method.getModifiers()), gated,
				"a private method is not called through the bean's proxy",
				"Make the method public, protected or package-private"
						+ (MethodCallers.isCalledByFramework(method) ? "" : ", and call it from another bean"));
		refuseIf(Modifier.isStatic(method.getModifiers()), gated, "a static method is not called through a bean",
				"Make it an instance method");
		refuseIf(ReflectionUtils.isObjectMethod(method) || AopUtils.isFinalizeMethod(method), gated,
				"a method of java.lang.Object is not called through the bean's proxy", "Give the method another name");
		refuseIf(MethodCallers.isCalledByBatch(gated), gated,
				"Spring Batch calls it on the bean itself, on every instance",
				"Implement the interface of the listener instead");
		refuseIf(direct && MethodCallers.isCalledOnTheBean(gated), gated, ON_THE_BEAN, ELSEWHERE);
		refuseIf(MethodCallers.isCalledWithoutLeader(gated) || (direct && MethodCallers.describesBean(gated)), gated,
				"the container calls it on every instance, even when no instance leads",
				direct ? ELSEWHERE : "Annotate the methods of the class one by one");
		refuseIf(MethodCallers.isCalledAtStartup(gated), gated,
				"it is called at startup, when nobody leads yet, and would never run",
				"Move it to a Candidate, which is called when this instance has begun to lead");
		ScheduledDeclaration scheduled = ScheduledDeclaration.of(gated);
		refuseIf(scheduled != null && scheduled.isOnce(), gated,
				"it is scheduled only once, at startup, when this instance may not be the leader",
				"Move it to a Candidate, or give @Scheduled a cron expression, a fixedDelay or a fixedRate");
		refuseIf(isSuspending(method), gated, "a suspending function goes on after its call has returned",
				"Make it a regular function, or let it return a Mono or a Flux");
		refuseIf(gated.annotation().otherwise() == Otherwise.SKIP && MethodCallers.handlesMessages(gated), gated,
				"a message that is skipped counts as handled, and is lost",
				"Use otherwise = THROW, so that the message is not acknowledged; "
						+ "or keep messages from followers: name the listener container in "
						+ "leader-election.elections.<name>.components");
	}

	private static void refuseIf(boolean wrong, LeaderOnlyMethod gated, String reason, String remedy) {
		if (wrong) {
			throw gated.invalid(reason, remedy);
		}
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] types = method.getParameterTypes();
		return types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION);
	}

	/**
	 * Require that no annotated method is one that the container calls on the bean
	 * itself, and that an annotation on the class applies to other methods, too. Runs
	 * before the container calls these methods.
	 * @param definition the definition
	 * @param beanType the class of the bean
	 * @param methods the methods
	 * @throws InvalidLeaderOnlyException if one of the two does not hold
	 */
	static void requireNoCallbacks(RootBeanDefinition definition, Class<?> beanType,
			Collection<LeaderOnlyMethod> methods) {
		List<LeaderOnlyMethod> callbacks = methods.stream()
			.filter((gated) -> MethodCallers.isCalledOnTheBean(gated) || MethodCallers.isNamedBy(definition, gated))
			.toList();
		callbacks.forEach((gated) -> refuseIf(gated.direct(), gated, ON_THE_BEAN, ELSEWHERE));
		if (callbacks.size() == methods.size() && LeaderOnlyMethods.isGated(beanType)) {
			throw new InvalidLeaderOnlyException(ClassUtils.getUserClass(beanType).getName(),
					"the annotation of the class applies to no method that is called through the bean's proxy",
					"Make the methods public, protected or package-private, or remove the annotation");
		}
	}

	/**
	 * Require that every call of one of the methods on the proxy passes the gate, by
	 * whichever declaration the call is made. Looks at what the class of the proxy
	 * actually overrides, rather than deducing it.
	 * @param proxy the proxy that contains the gate
	 * @param methods the methods
	 * @throws InvalidLeaderOnlyException if a call could bypass the gate
	 */
	static void requireIntercepted(Object proxy, Collection<LeaderOnlyMethod> methods) {
		for (LeaderOnlyMethod gated : methods) {
			if (AopUtils.isJdkDynamicProxy(proxy)) {
				// If only the class is annotated, a method may be missing: nothing can
				// call it.
				refuseIf(gated.direct() && !isExposed(proxy, gated), gated,
						"the bean is proxied by its interfaces, and none of them has the method",
						"Add the method to an interface of the bean, or set spring.aop.proxy-target-class=true");
			}
			else if (!MethodCallers.isIncidental(gated)) {
				requireOverridden(proxy.getClass(), gated);
			}
		}
	}

	private static boolean isExposed(Object proxy, LeaderOnlyMethod gated) {
		return gated.isAny(
				(method) -> method.getDeclaringClass().isInterface() && method.getDeclaringClass().isInstance(proxy));
	}

	private static void requireOverridden(Class<?> proxyClass, LeaderOnlyMethod gated) {
		refuseIf(gated.isAny((method) -> Modifier.isFinal(method.getModifiers())), gated,
				"a final method is not called through the bean's proxy",
				gated.direct() ? "Remove final; in Kotlin make the function open"
						: "Remove final, or annotate the methods of the class one by one");
		for (Method method : gated.declarations()) {
			if (!isOverridden(method, gated, proxyClass)) {
				refuseIf(LeaderOnlyMethods.isPackagePrivate(method), gated,
						"a package-private method of another package is not called through the bean's proxy",
						"Make the method public or protected");
				throw gated.invalid("the bean's proxy does not intercept calls of %s".formatted(method),
						"Declare the method in the class of the bean too");
			}
			Method other = findMistaken(method, gated, proxyClass);
			refuseIf(other != null, gated, "the bean's proxy can't distinguish it from %s".formatted(other),
					"Give one of the two another name");
		}
	}

	/**
	 * Return whether a call of the method on the proxy runs a method of the proxy. The
	 * proxy may override a package-private method of another package indirectly: a method
	 * of that package overrides it, and is itself overridden by the proxy.
	 */
	private static boolean isOverridden(Method method, LeaderOnlyMethod gated, Class<?> proxyClass) {
		return isDeclared(method, proxyClass) && (LeaderOnlyMethods.isOverridable(method, proxyClass)
				|| gated.isAny((between) -> overrides(between, method) && isOverridden(between, gated, proxyClass)));
	}

	private static boolean overrides(Method lower, Method upper) {
		Class<?> type = lower.getDeclaringClass();
		return type != upper.getDeclaringClass() && upper.getDeclaringClass().isAssignableFrom(type)
				&& isSame(lower, upper) && LeaderOnlyMethods.isOverridable(upper, type);
	}

	private static boolean isDeclared(Method method, Class<?> proxyClass) {
		// A native image has no reflection data for methods without a hint.
		return NativeDetector.inNativeImage()
				|| Arrays.stream(proxyClass.getDeclaredMethods()).anyMatch((declared) -> isSame(declared, method));
	}

	/**
	 * Find a method that the proxy overrides along with the given one, though neither of
	 * the two overrides the other: one is package-private, and a class of another package
	 * lies between them.
	 */
	private static @Nullable Method findMistaken(Method method, LeaderOnlyMethod gated, Class<?> proxyClass) {
		return LeaderOnlyMethods.hierarchy(gated.type())
			.stream()
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((other) -> isSame(other, method) && !gated.declarations().contains(other)
					&& !LeaderOnlyMethods.isPrivateOrStatic(other)
					&& LeaderOnlyMethods.isOverridable(other, proxyClass))
			.findFirst()
			.orElse(null);
	}

	private static boolean isSame(Method one, Method other) {
		return one.getName().equals(other.getName()) && one.getReturnType() == other.getReturnType()
				&& Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
	}

}
