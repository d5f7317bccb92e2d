package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Knows the mocks that tests put in place of beans. They come without a gate, and need
 * none, since there is nothing behind them.
 */
final class LeaderOnlyMocks {

	private static final String MOCKITO = "org.mockito.Mockito";

	private LeaderOnlyMocks() {
	}

	static boolean isMock(Object bean) {
		ClassLoader classLoader = bean.getClass().getClassLoader();
		if (!ClassUtils.isPresent(MOCKITO, classLoader)) {
			return false;
		}
		Class<?> mockito = ClassUtils.resolveClassName(MOCKITO, classLoader);
		Object details = invoke(mockito, "mockingDetails", null, bean);
		return details != null && Boolean.TRUE.equals(invoke(details.getClass(), "isMock", details));
	}

	private static @Nullable Object invoke(Class<?> type, String name, @Nullable Object target, Object... arguments) {
		Class<?>[] parameterTypes = (arguments.length == 0) ? new Class<?>[0] : new Class<?>[] { Object.class };
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(type, name, parameterTypes));
		ReflectionUtils.makeAccessible(method);
		return ReflectionUtils.invokeMethod(method, target, arguments);
	}

}
