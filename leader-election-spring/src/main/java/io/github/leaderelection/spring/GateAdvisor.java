package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * The gate of one kind of bean among the advice of that bean.
 */
final class GateAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient GateOperations operations;

	private final transient Set<Class<?>> verified = ConcurrentHashMap.newKeySet();

	GateAdvisor(GateOperations operations, GateInterceptor interceptor, int order) {
		super(interceptor);
		this.operations = operations;
		setOrder(order);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.operations.find(method) != null;
	}

	GateOperations operations() {
		return this.operations;
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
	 * Return whether calls of the bean, or of what it is a proxy of, meet a gate.
	 * @param bean the bean
	 * @return whether the bean has a gate
	 * @throws InvalidLeaderOnlyException if it has one that can be passed by
	 */
	static boolean isIn(Object bean) {
		Object candidate = bean;
		while (candidate instanceof Advised advised) {
			for (Advisor advisor : advised.getAdvisors()) {
				if (advisor instanceof GateAdvisor gate) {
					gate.requireIntercepted(candidate);
					return true;
				}
			}
			candidate = AopProxyUtils.getSingletonTarget(candidate);
		}
		return false;
	}

	/**
	 * Require that no call passes this gate by. Looked at once for each class of proxies.
	 * @param proxy the proxy, in which this gate stands
	 * @throws InvalidLeaderOnlyException if a call does
	 */
	void requireIntercepted(Object proxy) {
		if (!this.verified.contains(proxy.getClass())) {
			LeaderOnlyRules.requireIntercepted(proxy, this);
			this.verified.add(proxy.getClass());
		}
	}

}
