package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Adds the gate to the advice of beans of the same types.
 */
final class GateAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient List<Class<?>> types;

	private final transient List<LeaderOnlyMethod> methods;

	/** By each method by which a gated method can be called. */
	private final transient Map<Method, GateOperation> operations;

	private final transient Map<Method, Optional<GateOperation>> found = new ConcurrentHashMap<>();

	private final transient Set<Class<?>> verified = ConcurrentHashMap.newKeySet();

	GateAdvisor(List<Class<?>> types, List<LeaderOnlyMethod> methods, Map<Method, GateOperation> operations,
			GateServices services) {
		this.types = types;
		this.methods = methods;
		this.operations = operations;
		setAdvice(new GateInterceptor(this::find, services));
		setOrder(services.settings().order());
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return find(method) != null;
	}

	/**
	 * Find the operation of a method.
	 * @param method the method as called
	 * @return the operation, or {@code null} if the method is not gated
	 */
	@Nullable GateOperation find(Method method) {
		Optional<GateOperation> known = this.found.get(method);
		return ((known != null) ? known : this.found.computeIfAbsent(method, this::search)).orElse(null);
	}

	private Optional<GateOperation> search(Method method) {
		GateOperation operation = this.operations.get(method);
		if (operation != null || this.types.stream().anyMatch(method.getDeclaringClass()::isAssignableFrom)) {
			return Optional.ofNullable(operation);
		}
		// Declared by the proxy, or by an interface that only the proxy implements
		return this.types.stream()
			.map((type) -> this.operations.get(ClassUtils.getMostSpecificMethod(method, type)))
			.filter(Objects::nonNull)
			.findFirst();
	}

	Set<String> elections() {
		return this.operations.values().stream().map(GateOperation::election).collect(Collectors.toSet());
	}

	/** Return the methods whose scheduled runs are recorded. */
	Set<RecordedMethod> recorded() {
		return this.operations.values()
			.stream()
			.map(GateOperation::recorded)
			.filter(Objects::nonNull)
			.collect(Collectors.toSet());
	}

	/**
	 * Put this gate in its place in the proxy: before the first advisor of the same or a
	 * greater order, but after any advisor that hands the call to another thread. The
	 * gate must run on the thread that does the work. Only there can it see the end of
	 * the call, whatever the method returns, and interrupt the right thread.
	 * @param proxy the proxy, which may already contain this gate
	 */
	void placeIn(Advised proxy) {
		int old = proxy.indexOf(this);
		int position = position(proxy.getAdvisors());
		if (old == -1) {
			proxy.addAdvisor(position, this);
		}
		else if (position != old && position != old + 1) {
			// Add before removing: the proxy must never be without a gate.
			proxy.addAdvisor(position, this);
			proxy.removeAdvisor((position < old) ? old + 1 : old);
		}
	}

	private int position(Advisor[] advisors) {
		int position = 0;
		for (int i = 0; i < advisors.length; i++) {
			if (advisors[i].getAdvice() instanceof AsyncExecutionInterceptor) {
				position = i + 1;
			}
		}
		while (position < advisors.length && (advisors[position] == this || orderOf(advisors[position]) < getOrder())) {
			position++;
		}
		return position;
	}

	private static int orderOf(Advisor advisor) {
		return (advisor instanceof Ordered ordered) ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
	}

	/**
	 * Return whether a bean that needs a gate has none, neither itself nor in a proxy
	 * that it wraps.
	 * @param bean the bean
	 * @return whether a gate is missing
	 * @throws InvalidLeaderOnlyException if there is a gate that can be bypassed
	 */
	static boolean isMissing(Object bean) {
		return in(bean) == null && !isMock(bean);
	}

	/**
	 * Return the gate of a bean, or of a proxy that it wraps.
	 * @param bean the bean
	 * @return the gate, or {@code null} if there is none
	 * @throws InvalidLeaderOnlyException if the gate can be bypassed
	 */
	static @Nullable GateAdvisor in(Object bean) {
		Object candidate = bean;
		while (candidate instanceof Advised advised) {
			for (Advisor advisor : advised.getAdvisors()) {
				if (advisor instanceof GateAdvisor gate) {
					gate.requireIntercepted(candidate);
					return gate;
				}
			}
			candidate = AopProxyUtils.getSingletonTarget(candidate);
		}
		return null;
	}

	/**
	 * Return whether a bean is a mock. A mock that replaces a bean in a test has no gate
	 * and needs none.
	 */
	private static boolean isMock(Object bean) {
		ClassLoader classLoader = bean.getClass().getClassLoader();
		try {
			Object details = ClassUtils.forName("org.mockito.Mockito", classLoader)
				.getMethod("mockingDetails", Object.class)
				.invoke(null, bean);
			return Boolean.TRUE.equals(
					ClassUtils.forName("org.mockito.MockingDetails", classLoader).getMethod("isMock").invoke(details));
		}
		catch (ReflectiveOperationException ex) {
			// Outside of tests
			return false;
		}
	}

	/**
	 * Require that no call can bypass this gate. Checked once for each proxy class.
	 * @param proxy the proxy that contains this gate
	 * @throws InvalidLeaderOnlyException if a call can bypass it
	 */
	void requireIntercepted(Object proxy) {
		if (!this.verified.contains(proxy.getClass())) {
			LeaderOnlyRules.requireIntercepted(proxy, this.methods);
			this.verified.add(proxy.getClass());
		}
	}

}
