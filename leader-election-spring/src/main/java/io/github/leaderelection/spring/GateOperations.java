package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The operations of one kind of bean. Methods are found as they are called: each by all
 * that its family declares.
 */
final class GateOperations {

	private final List<Class<?>> types;

	private final Collection<LeaderOnlyMethod> methods;

	/** By each method by which they can be called. */
	private final Map<Method, GateOperation> operations = new HashMap<>();

	private final Map<Method, Optional<GateOperation>> found = new ConcurrentHashMap<>();

	GateOperations(List<Class<?>> types, Collection<LeaderOnlyMethod> methods, GateOperationFactory factory) {
		this.types = types;
		this.methods = methods;
		methods.forEach((method) -> add(method, factory));
		RecordedMethodFactory.requireScheduled(methods);
	}

	private void add(LeaderOnlyMethod method, GateOperationFactory factory) {
		try {
			GateOperation operation = factory.create(method);
			method.family().declarations().forEach((call) -> this.operations.putIfAbsent(call, operation));
		}
		catch (InvalidLeaderOnlyException ex) {
			if (!method.isIncidental()) {
				throw ex;
			}
		}
	}

	/** Return the methods that have an operation. */
	Collection<LeaderOnlyMethod> methods() {
		return this.methods;
	}

	Collection<GateOperation> all() {
		return this.operations.values();
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

}
