package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * The operations of one kind of bean. Methods are looked up as they are called: on the
 * class, on a superclass or on an interface.
 */
final class GateOperations {

	private final List<Class<?>> types;

	private final Collection<LeaderOnlyMethod> methods;

	private final Map<Method, GateOperation> operations = new HashMap<>();

	private final Map<Method, Optional<GateOperation>> found = new ConcurrentHashMap<>();

	GateOperations(List<Class<?>> types, Collection<LeaderOnlyMethod> methods, GateOperationFactory factory) {
		this.types = types;
		this.methods = methods;
		methods.forEach((method) -> this.operations.put(method.method(), factory.create(method)));
	}

	/** Return the methods that have an operation. */
	Collection<LeaderOnlyMethod> methods() {
		return this.methods;
	}

	Collection<GateOperation> all() {
		return this.operations.values();
	}

	/**
	 * Find the operation of a method. Allocates nothing once the method has been asked
	 * for.
	 * @param method the method as called
	 * @return the operation, or {@code null} if the method is not gated
	 */
	@Nullable GateOperation find(Method method) {
		Optional<GateOperation> operation = this.found.get(method);
		if (operation == null) {
			operation = this.found.computeIfAbsent(method, this::search);
		}
		return operation.orElse(null);
	}

	private Optional<GateOperation> search(Method method) {
		for (Class<?> type : this.types) {
			GateOperation operation = this.operations.get(AopUtils.getMostSpecificMethod(method, type));
			if (operation != null) {
				return Optional.of(operation);
			}
		}
		return Optional.empty();
	}

}
