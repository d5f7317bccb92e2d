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
import java.util.TreeSet;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of what a skipped call returns, and of how long a call that returns a stage is in
 * flight.
 */
class LeaderOnlyResultTests {

	// Not in the bean, whose fields are out of reach behind its proxy
	private static CompletableFuture<String> pending;

	private static FutureTask<String> task;

	@BeforeEach
	void prepare() {
		pending = new CompletableFuture<>();
		task = new FutureTask<>(() -> "done");
	}

	private final ApplicationContextRunner runner = GateRunner.follower().withBean(Results.class);

	@Test
	void skippedCallReturnsNull() {
		follow((results) -> {
			results.nothing();
			assertThat(results.text()).isNull();
			assertThat(results.boxed()).isNull();
			assertThat(results.tree()).isNull();
		});
	}

	@Test
	void skippedCallReturnsAnEmptyOptional() {
		follow((results) -> {
			assertThat(results.optional()).isEmpty();
			assertThat(results.optionalInt()).isEmpty();
			assertThat(results.optionalLong()).isEmpty();
			assertThat(results.optionalDouble()).isEmpty();
		});
	}

	@Test
	void skippedCallReturnsAnEmptyArray() {
		follow((results) -> {
			assertThat(results.array()).isEmpty();
			assertThat(results.arrays()).isEmpty();
			assertThat(results.texts()).isEmpty();
		});
	}

	@Test
	void skippedCallReturnsAnEmptyStream() {
		follow((results) -> {
			assertThat(results.stream()).isEmpty();
			assertThat(results.stream()).isEmpty();
			assertThat(results.intStream()).isEmpty();
			assertThat(results.iterator()).isExhausted();
		});
	}

	@Test
	void skippedCallReturnsAnEmptyCollectionOfItsOwn() {
		follow((results) -> {
			assertThat(results.list()).isEmpty();
			results.list().add("changed");
			assertThat(results.list()).isEmpty();
			assertThat(results.strings()).isExactlyInstanceOf(TreeSet.class).isEmpty();
		});
	}

	@Test
	void skippedCallReturnsAnEmptyMap() {
		follow((results) -> {
			assertThat(results.map()).isEmpty();
			results.map().put("changed", "changed");
			assertThat(results.map()).isEmpty();
		});
	}

	@Test
	void skippedStageHasAnEmptyValue() {
		follow((results) -> {
			assertThat(results.futureList()).isCompletedWithValue(List.of());
			assertThat(results.futureOptional()).isCompletedWithValue(Optional.empty());
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Iterable.class, Collection.class, List.class, Set.class, SortedSet.class,
			NavigableSet.class, Queue.class, Deque.class, BlockingQueue.class, BlockingDeque.class, TransferQueue.class,
			AbstractList.class, AbstractCollection.class, ArrayList.class, LinkedList.class, HashSet.class,
			CopyOnWriteArrayList.class, PriorityQueue.class, Map.class, SortedMap.class, NavigableMap.class,
			ConcurrentMap.class, ConcurrentNavigableMap.class, AbstractMap.class, HashMap.class, IdentityHashMap.class,
			Properties.class, Stream.class, IntStream.class, LongStream.class, DoubleStream.class, BaseStream.class,
			Iterator.class, ListIterator.class, Enumeration.class, int[].class, String[][].class })
	void emptyOf(Class<?> type) {
		SkippedResult result = SkippedResult.of(ResolvableType.forClass(type));
		assertThat(result).isNotNull();
		Object empty = result.get();
		assertThat(empty).isInstanceOf(type);
		if (!Iterator.class.isAssignableFrom(type) && type != Enumeration.class) {
			assertThat(result.get()).isNotSameAs(empty);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, String.class, EnumMap.class, Path.class, Serializable.class,
			RandomAccess.class, ResourceBundle.class })
	void nothingIsEmptyOf(Class<?> type) {
		assertThat(SkippedResult.of(ResolvableType.forClass(type)).get()).isNull();
	}

	@Test
	void skippedCallReturnsACompletedStage() {
		follow((results) -> {
			assertThat(results.future()).isCompletedWithValue(null);
			assertThat(results.stage().toCompletableFuture()).isCompletedWithValue(null);
			assertThat(results.plainFuture()).isDone().succeedsWithin(0, TimeUnit.SECONDS);
			assertThat(results.future()).isNotSameAs(results.future());
		});
	}

	@Test
	void skippedCallReturnsWhatTheTypeVariableStandsFor() {
		GateRunner.follower().withBean(OptionalSource.class).run((context) -> {
			OptionalSource source = context.getBean(OptionalSource.class);
			assertThat(source.get()).isEmpty();
			assertThat(((Supplier<?>) source).get()).isEqualTo(Optional.empty());
			assertThat(source.inherited()).isEmpty();
		});
	}

	@Test
	void refusedCallThrowsWhateverTheReturnType() {
		follow((results) -> {
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(results::strictFuture);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(results::strictNumber);
		});
	}

	@Test
	void stageIsInFlightUntilItCompletes() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			Results results = context.getBean(Results.class);
			CompletableFuture<String> stage = results.future();
			assertThat(stage).isSameAs(pending);
			assertThat(gate.inFlight("results")).isOne();
			assertThat(TestTerm.current()).isNull();
			stage.complete("done");
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	@Test
	void stageIsInFlightUntilItFails() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			CompletionStage<String> stage = context.getBean(Results.class).stage();
			assertThat(gate.inFlight("results")).isOne();
			stage.toCompletableFuture().completeExceptionally(new IllegalStateException("broken"));
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	@Test
	void completedStageIsNotInFlight() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			Results results = context.getBean(Results.class);
			pending.complete("done");
			assertThat(results.future()).isSameAs(pending);
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	@Test
	void stageThatCantBeWatchedIsNotInFlightForEver() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			Results results = context.getBean(Results.class);
			pending = new CompletableFuture<>() {

				@Override
				public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
					throw new IllegalStateException("unwatchable");
				}

			};
			assertThatIllegalStateException().isThrownBy(results::future).withMessage("unwatchable");
			assertThat(gate.inFlight("results")).isZero();
		});
	}

	@Test
	void lossLeavesAStageRunningAndTheCallerUninterrupted() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			TestTerm term = gate.term("results");
			CompletableFuture<String> stage = context.getBean(Results.class).future();
			gate.lose("results");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(stage).isNotDone();
			assertThat(term.inFlight()).isOne();
			stage.complete("late");
			assertThat(term.inFlight()).isZero();
		});
	}

	@Test
	void plainFutureIsInFlightUntilItIsDone() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			Results results = context.getBean(Results.class);
			Future<String> future = results.plainFuture();
			assertThat(future).isSameAs(task);
			assertThat(gate.inFlight("results")).isOne();
			task.run();
			Awaitility.await().until(() -> gate.inFlight("results") == 0);
		});
	}

	@Test
	void failedOrCancelledPlainFutureIsNotInFlight() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("results");
			Results results = context.getBean(Results.class);
			task = new FutureTask<>(() -> {
				throw new IllegalStateException("broken");
			});
			results.plainFuture();
			task.run();
			Awaitility.await().until(() -> gate.inFlight("results") == 0);
			task = new FutureTask<>(() -> "never");
			results.plainFuture();
			task.cancel(true);
			Awaitility.await().until(() -> gate.inFlight("results") == 0);
		});
	}

	@Test
	void innerCallOfAnotherElectionIsGatedOnItsOwn() {
		GateRunner.follower().withBean(Results.class).withBean(Outer.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("outer");
			Outer outer = context.getBean(Outer.class);
			assertThat(outer.call(() -> context.getBean(Results.class).text())).isNull();
			gate.leading("results");
			assertThat(outer.call(() -> {
				assertThat(gate.inFlight("outer")).isOne();
				return context.getBean(Results.class).text();
			})).isEqualTo("text");
			assertThat(gate.inFlight("outer")).isZero();
		});
	}

	@Test
	void callersOnOtherThreadsAreGatedIndependently() throws Exception {
		GateRunner.follower().withBean(Outer.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("outer");
			Outer outer = context.getBean(Outer.class);
			CountDownLatch inside = new CountDownLatch(2);
			CountDownLatch leave = new CountDownLatch(1);
			for (int i = 0; i < 2; i++) {
				new Thread(() -> outer.call(() -> {
					inside.countDown();
					leave.await();
					return null;
				})).start();
			}
			inside.await();
			assertThat(gate.inFlight("outer")).isEqualTo(2);
			leave.countDown();
			Awaitility.await().until(() -> gate.inFlight("outer") == 0);
		});
	}

	private void follow(Consumer<Results> test) {
		this.runner.run((context) -> test.accept(context.getBean(Results.class)));
	}

	static class Outer {

		@LeaderOnly("outer")
		public Object call(Callable<?> work) {
			try {
				return work.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

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

		public void nothing() {
			throw new AssertionError();
		}

		public String text() {
			return "text";
		}

		public Integer boxed() {
			return 1;
		}

		public int[] array() {
			return new int[0];
		}

		public String[][] arrays() {
			return new String[1][1];
		}

		public List<String>[] texts() {
			return null;
		}

		public Path tree() {
			return Path.of("tree");
		}

		public Stream<String> stream() {
			return Stream.of("value");
		}

		public IntStream intStream() {
			return IntStream.of(1);
		}

		public Iterator<String> iterator() {
			return List.of("value").iterator();
		}

		public List<String> list() {
			return List.of("value");
		}

		public NavigableSet<String> strings() {
			return new TreeSet<>(Set.of("value"));
		}

		public Map<String, String> map() {
			return Map.of("key", "value");
		}

		public CompletableFuture<List<String>> futureList() {
			return CompletableFuture.completedFuture(List.of("value"));
		}

		public CompletionStage<Optional<String>> futureOptional() {
			return CompletableFuture.completedFuture(Optional.of("value"));
		}

		public Optional<String> optional() {
			return Optional.of("value");
		}

		public OptionalInt optionalInt() {
			return OptionalInt.of(1);
		}

		public OptionalLong optionalLong() {
			return OptionalLong.of(1);
		}

		public OptionalDouble optionalDouble() {
			return OptionalDouble.of(1);
		}

		public CompletableFuture<String> future() {
			return pending;
		}

		public CompletionStage<String> stage() {
			return pending;
		}

		public Future<String> plainFuture() {
			return task;
		}

		@LeaderOnly(value = "results", otherwise = Otherwise.THROW)
		public CompletableFuture<String> strictFuture() {
			return pending;
		}

		@LeaderOnly(value = "results", otherwise = Otherwise.THROW)
		public int strictNumber() {
			return 1;
		}

	}

}
