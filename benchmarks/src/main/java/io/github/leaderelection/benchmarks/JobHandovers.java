package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Measures how long a job waits for its next run when the instance that ran it stops.
 */
final class JobHandovers {

	/** The first run of the latest series on one instance. */
	private final AtomicReference<Run> latest = new AtomicReference<>(new Run(-1, 0));

	private final Random random = new Random(1);

	private final Duration period;

	private final Function<Runnable, AutoCloseable> instances;

	private JobHandovers(Duration period, Function<Runnable, AutoCloseable> instances) {
		this.period = period;
		this.instances = instances;
	}

	/**
	 * Measure handovers.
	 * @param period the period over which starts and stops are spread at random
	 * @param instances starts an instance that runs the job
	 */
	static List<Double> millis(int number, Duration period, Function<Runnable, AutoCloseable> instances)
			throws Exception {
		return new JobHandovers(period, instances).millis(Rounds.of(number));
	}

	private List<Double> millis(int number) throws Exception {
		List<Double> millis = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			int first = 2 * i;
			try (AutoCloseable one = instance(first)) {
				Thread.sleep(this.random.nextLong(this.period.toMillis()));
				try (AutoCloseable another = instance(first + 1)) {
					Fleet.await(() -> this.latest.get().instance() >= first);
					Thread.sleep(this.random.nextLong(this.period.toMillis()));
					int gone = this.latest.get().instance();
					int other = 2 * first + 1 - gone;
					long begun = System.nanoTime();
					((gone == first) ? one : another).close();
					Fleet.await(() -> this.latest.get().instance() == other);
					millis.add((this.latest.get().nanos() - begun) / 1e6);
				}
			}
		}
		return millis;
	}

	private AutoCloseable instance(int number) {
		return this.instances.apply(() -> {
			Run run = new Run(number, System.nanoTime());
			this.latest.updateAndGet((latest) -> (latest.instance() == number) ? latest : run);
		});
	}

	private record Run(int instance, long nanos) {

	}

}
