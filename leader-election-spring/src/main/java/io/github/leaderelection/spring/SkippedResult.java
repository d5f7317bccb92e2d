package io.github.leaderelection.spring;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * What a skipped call returns. Reactive types are left to {@link GateReactive}.
 */
@FunctionalInterface
interface SkippedResult {

	/**
	 * Return the result of one skipped call.
	 * @return an empty value of the return type, or {@code null}
	 */
	@Nullable Object get();

	/**
	 * Find the result for a return type.
	 * @param returnType the return type
	 * @return the result, or {@code null} when no value of the type means that there is
	 * none
	 */
	static @Nullable SkippedResult of(ResolvableType returnType) {
		Class<?> type = returnType.toClass();
		if (type == Optional.class) {
			return Optional::empty;
		}
		if (type == OptionalInt.class) {
			return OptionalInt::empty;
		}
		if (type == OptionalLong.class) {
			return OptionalLong::empty;
		}
		if (type == OptionalDouble.class) {
			return OptionalDouble::empty;
		}
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return type.isAssignableFrom(CompletableFuture.class) ? completedStage(returnType) : null;
		}
		if (type.isPrimitive()) {
			// By far the most are void, and need none of what is empty.
			return (type == void.class) ? () -> null : null;
		}
		SkippedResult empty = EmptyResults.of(type);
		return (empty != null) ? empty : () -> null;
	}

	// A new one for each call: callers can change it.
	@SuppressWarnings("FutureReturnValueIgnored")
	private static SkippedResult completedStage(ResolvableType returnType) {
		SkippedResult value = of(returnType.getGeneric(0));
		return () -> CompletableFuture.completedFuture((value != null) ? value.get() : null);
	}

}
