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
 * The gate of one kind of bean among the advice of that bean.
 */
final class GateAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient List<Class<?>> types;

	private final transient List<LeaderOnlyMethod> methods;

	/** By each method by which they can be called. */
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
		// Declared where only a proxy is, or by the proxy itself
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
	 * Put this gate where it belongs in the proxy: before the first advisor of the same
	 * or a greater order, but after one that hands the call to another thread. The gate
	 * belongs to the thread that does the work: only there the call's end can be seen,
	 * whatever the method returns, and only there an interrupt hits the right one.
	 * @param proxy the proxy, in which this gate may stand already
	 */
	void placeIn(Advised proxy) {
		int old = proxy.indexOf(this);
		int position = position(proxy.getAdvisors());
		if (old == -1) {
			proxy.addAdvisor(position, this);
		}
		else if (position != old && position != old + 1) {
			// Add before removing: the proxy must not be without gate for a moment.
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
	 * Return whether calls of a bean that needs a gate meet none, neither there nor in
	 * what it is a proxy of.
	 * @param bean the bean
	 * @return whether a gate is missing
	 * @throws InvalidLeaderOnlyException if there is one that can be passed by
	 */
	static boolean isMissing(Object bean) {
		return in(bean) == null && !isMock(bean);
	}

	/**
	 * Return the gate in a bean, or in what it is a proxy of.
	 * @param bean the bean
	 * @return the gate, {@code null} if there is none
	 * @throws InvalidLeaderOnlyException if it can be passed by
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
	 * Mocks that tests put in place of beans come without a gate, and need none, since
	 * there is nothing behind them.
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
	 * Require that no call passes this gate by. Looked at once for each class of proxies.
	 * @param proxy the proxy, in which this gate stands
	 * @throws InvalidLeaderOnlyException if a call does
	 */
	void requireIntercepted(Object proxy) {
		if (!this.verified.contains(proxy.getClass())) {
			LeaderOnlyRules.requireIntercepted(proxy, this.methods);
			this.verified.add(proxy.getClass());
		}
	}

}
