package io.github.leaderelection.spring.bound;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps the application context from starting what only the leader may start. Containers
 * of all libraries have a property for that, but no interface in common that has it.
 */
final class AutoStartup {

	static final String SETTER = "setAutoStartup";

	private AutoStartup() {
	}

	/**
	 * Let the component be started by nobody but the leader.
	 * @param binding the component
	 * @throws InvalidComponentException if it would be started all the same
	 */
	static void switchOff(ComponentBinding binding) {
		if (!(binding.component() instanceof SmartLifecycle component)) {
			// Others are not started with the context.
			return;
		}
		if (!switchOff(component)) {
			Object target = AopProxyUtils.getSingletonTarget(component);
			if (target != null) {
				switchOff(target);
			}
		}
		if (component.isAutoStartup()) {
			throw binding.invalid(
					"its isAutoStartup() is true, and there is no setAutoStartup(boolean) that changes it, "
							+ "so that every instance would start it",
					"Let isAutoStartup() return false, or let the class implement Lifecycle instead of SmartLifecycle");
		}
	}

	private static boolean switchOff(Object component) {
		Method setter = setterOf(component.getClass());
		if (setter == null) {
			return false;
		}
		ReflectionUtils.makeAccessible(setter);
		ReflectionUtils.invokeMethod(setter, component, false);
		return true;
	}

	static @Nullable Method setterOf(Class<?> type) {
		return ClassUtils.getMethodIfAvailable(type, SETTER, boolean.class);
	}

}
