package io.github.leaderelection.spring.bound;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The beans that provide listener containers by id, such as the registries of Kafka,
 * Rabbit and JMS. They are recognized by their methods, so that none of these libraries
 * has to be on the class path.
 */
final class ListenerRegistries {

	static final String GET_BY_ID = "getListenerContainer";

	static final String IDS = "getListenerContainerIds";

	private final List<Object> registries = new ArrayList<>();

	ListenerRegistries(ConfigurableListableBeanFactory beanFactory) {
		for (String name : beanFactory.getBeanNamesForType(Object.class, false, false)) {
			Class<?> type = beanFactory.getType(name, false);
			if (type != null && getterOf(type) != null) {
				this.registries.add(beanFactory.getBean(name));
			}
		}
	}

	static @Nullable Method getterOf(Class<?> type) {
		Method method = ClassUtils.getMethodIfAvailable(type, GET_BY_ID, String.class);
		return (method != null && !method.getReturnType().isPrimitive()) ? method : null;
	}

	/** Return the containers that have this id. */
	List<Lifecycle> find(String id) {
		return this.registries.stream()
			.map((registry) -> invoke(Objects.requireNonNull(getterOf(registry.getClass())), registry, id))
			.filter(Lifecycle.class::isInstance)
			.map(Lifecycle.class::cast)
			.toList();
	}

	/** Return all ids that the registries report. */
	Collection<String> ids() {
		Collection<String> all = new TreeSet<>();
		for (Object registry : this.registries) {
			Method method = ClassUtils.getMethodIfAvailable(registry.getClass(), IDS);
			if (method != null && invoke(method, registry) instanceof Collection<?> ids) {
				ids.forEach((id) -> all.add(String.valueOf(id)));
			}
		}
		return all;
	}

	private static @Nullable Object invoke(Method method, Object target, Object... arguments) {
		ReflectionUtils.makeAccessible(method);
		return ReflectionUtils.invokeMethod(method, target, arguments);
	}

}
