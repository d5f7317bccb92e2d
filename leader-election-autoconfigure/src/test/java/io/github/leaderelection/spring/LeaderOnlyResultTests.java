package io.github.leaderelection.spring;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.AbstractCollection;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Queue;
import java.util.RandomAccess;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TransferQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.TestTerm;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of what a skipped call returns, and of how long a call that returns a stage is in
 * flight.
 */
class LeaderOnlyResultTests {

	private final ApplicationContextRunner runner = GateRunner.follower().withBean(Results.class);

	@ParameterizedTest
	@ValueSource(classes = { Iterable.class, Collection.class, List.class, Set.class, SortedSet.class,
			NavigableSet.class, Queue.class, Deque.class, BlockingQueue.class, BlockingDeque.class, TransferQueue.class,
			AbstractList.class, AbstractCollection.class, ArrayList.class, LinkedList.class, HashSet.class,
			CopyOnWriteArrayList.class, PriorityQueue.class, Map.class, SortedMap.class, NavigableMap.class,
			ConcurrentMap.class, ConcurrentNavigableMap.class, AbstractMap.class, HashMap.class, IdentityHashMap.class,
			Properties.class, Stream.class, IntStream.class, LongStream.class, DoubleStream.class, BaseStream.class,
			int[].class, String[][].class })
	void skippedCallReturnsANewEmptyInstance(Class<?> type) {
		SkippedResult result = SkippedResult.of(ResolvableType.forClass(type));
		assertThat(result.get()).isInstanceOf(type).isNotSameAs(result.get());
	}

	@Test
	void skippedCallReturnsAnEmptyValue() {
		Map<Class<?>, Object> empty = Map.of(Optional.class, Optional.empty(), OptionalInt.class, OptionalInt.empty(),
				OptionalLong.class, OptionalLong.empty(), OptionalDouble.class, OptionalDouble.empty());
		empty.forEach((type, value) -> assertThat(skipped(ResolvableType.forClass(type))).isEqualTo(value));
		assertThat((Iterator<?>) skipped(ResolvableType.forClass(Iterator.class))).isExhausted();
		assertThat((Iterator<?>) skipped(ResolvableType.forClass(ListIterator.class))).isExhausted();
		assertThat(((Enumeration<?>) skipped(ResolvableType.forClass(Enumeration.class))).hasMoreElements()).isFalse();
		assertThat((Object[]) skipped(ResolvableType.forClass(String[].class))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { void.class, Object.class, Integer.class, String.class, EnumMap.class, Path.class,
			Serializable.class, RandomAccess.class, ResourceBundle.class })
	void skippedCallReturnsNull(Class<?> type) {
		assertThat(skipped(ResolvableType.forClass(type))).isNull();
	}

	@ParameterizedTest
	@ValueSource(classes = { CompletableFuture.class, CompletionStage.class, Future.class })
	void skippedCallReturnsACompletedStage(Class<?> type) {
		assertThat((CompletableFuture<?>) skipped(ResolvableType.forClass(type))).isCompletedWithValue(null);
		assertThat((CompletableFuture<?>) skipped(ResolvableType.forClassWithGenerics(type, Optional.class)))
			.isCompletedWithValueMatching(Optional.empty()::equals);
		assertThat((CompletableFuture<?>) skipped(ResolvableType.forClassWithGenerics(type, List.class)))
			.isCompletedWithValueMatching(List.of()::equals);
	}

	private static @Nullable Object skipped(ResolvableType type) {
		return SkippedResult.of(type).get();
	}

	@Test
	void skippedCallReturnsAValueOfTheResolvedTypeVariable() {
		GateRunner.follower().withBean(OptionalSource.class).run((context) -> {
			OptionalSource source = context.getBean(OptionalSource.class);
			assertThat(source.get()).isEmpty();
			assertThat(((Supplier<?>) source).get()).isEqualTo(Optional.empty());
			assertThat(source.inherited()).isEmpty();
		});
	}

	/** Completed before or after it is returned; failed; canceled. */
	@ParameterizedTest
	@MethodSource
	void stageIsInFlightUntilItEnds(CompletableFuture<String> stage, Consumer<CompletableFuture<String>> end) {
		lead((gate, results) -> {
			int before = stage.isDone() ? 0 : 1;
			assertThat(results.stage(stage)).isSameAs(stage);
			assertThat(gate.inFlight("results")).isEqualTo(before);
			assertThat(TestTerm.current()).isNull();
			end.accept(stage);
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	static Stream<Arguments> stageIsInFlightUntilItEnds() {
		return Stream
			.<Consumer<CompletableFuture<String>>>of((stage) -> stage.complete("done"),
					(stage) -> stage.completeExceptionally(new IllegalStateException("broken")),
					(stage) -> stage.cancel(true))
			.flatMap((end) -> Stream.of(Arguments.of(new CompletableFuture<>(), end),
					Arguments.of(CompletableFuture.completedFuture("done"), end)));
	}

	@ParameterizedTest
	@MethodSource
	void plainFutureIsInFlightUntilItIsDone(Callable<String> work, Consumer<FutureTask<String>> end) {
		lead((gate, results) -> {
			FutureTask<String> future = new FutureTask<>(work);
			assertThat(results.future(future)).isSameAs(future);
			assertThat(gate.inFlight("results")).isOne();
			end.accept(future);
			Awaitility.await().until(() -> gate.inFlight("results") == 0);
		});
	}

	static Stream<Arguments> plainFutureIsInFlightUntilItIsDone() {
		Callable<String> fine = () -> "done";
		Callable<String> broken = () -> {
			throw new IllegalStateException("broken");
		};
		Consumer<FutureTask<String>> run = FutureTask::run;
		Consumer<FutureTask<String>> cancel = (future) -> future.cancel(true);
		return Stream.of(Arguments.of(fine, run), Arguments.of(broken, run), Arguments.of(fine, cancel));
	}

	@Test
	void unwatchableStageDoesNotStayInFlight() {
		lead((gate, results) -> {
			CompletableFuture<String> pending = new CompletableFuture<>() {

				@Override
				public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
					throw new IllegalStateException("unwatchable");
				}

			};
			assertThatIllegalStateException().isThrownBy(() -> results.stage(pending)).withMessage("unwatchable");
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	@Test
	void lossLeavesAStageRunningAndTheCallerUninterrupted() {
		lead((gate, results) -> {
			TestTerm term = gate.term("results");
			CompletableFuture<String> stage = new CompletableFuture<>();
			results.stage(stage);
			gate.lose("results");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(stage).isNotDone();
			assertThat(term.inFlight()).isOne();
			stage.complete("late");
			assertThat(term.inFlight()).isZero();
		});
	}

	private void lead(BiConsumer<TestGate, Results> test) {
		this.runner
			.run((context) -> test.accept(GateRunner.gate(context).leading("results"), context.getBean(Results.class)));
	}

	abstract static class Source<T> implements Supplier<T> {

		@Override
		@LeaderOnly("results")
		public abstract T get();

		@LeaderOnly("results")
		public T inherited() {
			return null;
		}

	}

	static class OptionalSource extends Source<Optional<String>> {

		@Override
		public Optional<String> get() {
			return Optional.of("got");
		}

	}

	@LeaderOnly("results")
	static class Results {

		public CompletionStage<String> stage(CompletableFuture<String> stage) {
			return stage;
		}

		public Future<String> future(Future<String> future) {
			return future;
		}

	}

}
