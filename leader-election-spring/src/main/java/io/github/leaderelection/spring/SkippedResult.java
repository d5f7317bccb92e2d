package io.github.leaderelection.spring;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * The result of a skipped call: an empty value for types that callers use without a null
 * check, otherwise {@code null}. {@link GateReactive} handles reactive types.
 */
@FunctionalInterface
interface SkippedResult {

	/**
	 * Return the result of one skipped call.
	 * @return an empty value of the return type, a new one if callers can change it, or
	 * {@code null}
	 */
	@Nullable Object get();

	/**
	 * Find the result for a return type.
	 * @param returnType the return type
	 * @return the result, or {@code null} if no value of the type can stand for a skipped
	 * call
	 */
	static @Nullable SkippedResult of(ResolvableType returnType) {
		Class<?> type = returnType.toClass();
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return type.isAssignableFrom(CompletableFuture.class) ? completedStage(returnType) : null;
		}
		if (type.isPrimitive()) {
			// Most methods are void, and should not load the empty values.
			return (type == void.class) ? () -> null : null;
		}
		SkippedResult empty = type.isArray() ? () -> Array.newInstance(type.componentType(), 0)
				: isContainer(type) ? container(type) : Empty.VALUES.get(type);
		return (empty != null) ? empty : () -> null;
	}

	// A new one for each call: callers can change it.
	@SuppressWarnings("FutureReturnValueIgnored")
	private static SkippedResult completedStage(ResolvableType returnType) {
		SkippedResult value = of(returnType.getGeneric(0));
		return () -> CompletableFuture.completedFuture((value != null) ? value.get() : null);
	}

	private static boolean isContainer(Class<?> type) {
		return type == Iterable.class || (type.getName().startsWith("java.util.")
				&& (Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)));
	}

	private static @Nullable SkippedResult container(Class<?> type) {
		if (ClassUtils.hasConstructor(type) && !Modifier.isAbstract(type.getModifiers())) {
			return () -> BeanUtils.instantiateClass(type);
		}
		return Empty.CONTAINERS.stream()
			.filter((container) -> type.isInstance(container.get()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Empty values, initialized when first needed.
	 */
	final class Empty {

		/** For types with one empty value, or of which a new instance is empty. */
		static final Map<Class<?>, SkippedResult> VALUES = Map.ofEntries(Map.entry(Optional.class, Optional::empty),
				Map.entry(OptionalInt.class, OptionalInt::empty), Map.entry(OptionalLong.class, OptionalLong::empty),
				Map.entry(OptionalDouble.class, OptionalDouble::empty), Map.entry(Stream.class, Stream::empty),
				Map.entry(BaseStream.class, Stream::empty), Map.entry(IntStream.class, IntStream::empty),
				Map.entry(LongStream.class, LongStream::empty), Map.entry(DoubleStream.class, DoubleStream::empty),
				Map.entry(Iterator.class, Collections::emptyIterator),
				Map.entry(ListIterator.class, Collections::emptyListIterator),
				Map.entry(Enumeration.class, Collections::emptyEnumeration));

		/** For collections and maps that can't be instantiated, the first that fits. */
		static final List<SkippedResult> CONTAINERS = List.of(ArrayList::new, LinkedHashSet::new, TreeSet::new,
				ArrayDeque::new, LinkedBlockingDeque::new, LinkedTransferQueue::new, LinkedHashMap::new, TreeMap::new,
				ConcurrentHashMap::new, ConcurrentSkipListMap::new);

		private Empty() {
		}

	}

}
