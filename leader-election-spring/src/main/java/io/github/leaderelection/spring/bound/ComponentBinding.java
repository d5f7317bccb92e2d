package io.github.leaderelection.spring.bound;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A component that is bound to an election.
 *
 * @param place where the binding is declared, for messages
 * @param name the name of the component
 * @param election the election name
 * @param component the component to start and stop
 */
record ComponentBinding(String place, String name, String election, Lifecycle component) {

	/** Return whether a bean of this type is a flow of Spring Integration. */
	static boolean isFlow(Class<?> type) {
		return ClassUtils.hasMethod(type, "getIntegrationComponents");
	}

	/**
	 * Keep the application context from starting the component. The listener containers
	 * of all libraries have a property for that, but no common interface that declares
	 * its setter.
	 * @throws InvalidComponentException if the context would still start the component
	 */
	void switchAutoStartupOff() {
		if (!(this.component instanceof SmartLifecycle started)) {
			// The context does not start a plain Lifecycle.
			return;
		}
		if (isFlow(started.getClass())) {
			throw invalid("it is a Spring Integration flow, whose endpoints the context starts one by one",
					"Name the endpoint that its messages come from, by an id such as \"mails\": "
							+ "(endpoint) -> endpoint.id(\"mails\")");
		}
		if (!switchOff(started)) {
			Object target = AopProxyUtils.getSingletonTarget(started);
			if (target != null) {
				switchOff(target);
			}
		}
		if (started.isAutoStartup()) {
			throw invalid(
					"its isAutoStartup() is true, and there is no setAutoStartup(boolean) that changes it, "
							+ "so that every instance would start it",
					"Let isAutoStartup() return false, or let the class implement Lifecycle instead of SmartLifecycle");
		}
	}

	private static boolean switchOff(Object component) {
		Method setter = autoStartupOf(component.getClass());
		if (setter == null) {
			return false;
		}
		ReflectionUtils.makeAccessible(setter);
		ReflectionUtils.invokeMethod(setter, component, false);
		return true;
	}

	/** Return the setter of the property, or {@code null} if there is none. */
	static @Nullable Method autoStartupOf(Class<?> type) {
		return ClassUtils.getMethodIfAvailable(type, "setAutoStartup", boolean.class);
	}

	InvalidComponentException invalid(String reason, String remedy) {
		return new InvalidComponentException(this.place, reason, remedy);
	}

}
