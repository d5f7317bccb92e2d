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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * Empty collections, maps, streams and arrays, for callers that go through a result
 * without asking whether there is one.
 */
final class EmptyResults {

	private static final Map<Class<?>, SkippedResult> FIXED = Map.of(Stream.class, Stream::empty, BaseStream.class,
			Stream::empty, IntStream.class, IntStream::empty, LongStream.class, LongStream::empty, DoubleStream.class,
			DoubleStream::empty, Iterator.class, Collections::emptyIterator, ListIterator.class,
			Collections::emptyListIterator, Enumeration.class, Collections::emptyEnumeration);

	/** For interfaces and abstract classes, the first that fits. */
	private static final List<Supplier<?>> CONTAINERS = List.of(ArrayList::new, LinkedHashSet::new, TreeSet::new,
			ArrayDeque::new, LinkedBlockingDeque::new, LinkedTransferQueue::new, LinkedHashMap::new, TreeMap::new,
			ConcurrentHashMap::new, ConcurrentSkipListMap::new);

	private EmptyResults() {
	}

	/**
	 * Return what is empty of a type.
	 * @param type the type
	 * @return the result, a new one for each call if callers can change it; {@code null}
	 * if the type is none of those of {@code java.util} and no array
	 */
	static @Nullable SkippedResult of(Class<?> type) {
		if (type.isArray()) {
			Object array = Array.newInstance(type.componentType(), 0);
			return () -> array;
		}
		if (type == Iterable.class || (type.getName().startsWith("java.util.") && isContainer(type))) {
			SkippedResult made = make(type);
			return (made != null) ? made : firstThatFits(type);
		}
		return FIXED.get(type);
	}

	private static boolean isContainer(Class<?> type) {
		return Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
	}

	private static @Nullable SkippedResult make(Class<?> type) {
		boolean isMade = ClassUtils.hasConstructor(type) && !Modifier.isAbstract(type.getModifiers());
		return isMade ? () -> BeanUtils.instantiateClass(type) : null;
	}

	private static @Nullable SkippedResult firstThatFits(Class<?> type) {
		for (Supplier<?> container : CONTAINERS) {
			if (type.isInstance(container.get())) {
				return container::get;
			}
		}
		return null;
	}

}
