package io.github.leaderelection.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Runs several threads at the same time.
 */
final class Race {

	static final int RACERS = 16;

	private Race() {
	}

	/** Return the results of all threads, in their order. */
	static <T> List<T> run(IntFunction<Callable<T>> racers) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(RACERS);
		try {
			CyclicBarrier start = new CyclicBarrier(RACERS);
			List<Future<T>> running = IntStream.range(0, RACERS).mapToObj((index) -> executor.submit(() -> {
				start.await();
				return racers.apply(index).call();
			})).toList();
			List<T> results = new ArrayList<>();
			for (Future<T> each : running) {
				results.add(each.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

}
