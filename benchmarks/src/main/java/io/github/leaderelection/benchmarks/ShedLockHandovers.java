package io.github.leaderelection.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How long a job waits for its next run when the instance goes that ran it last.
 */
final class ShedLockHandovers {

	private static final String DATABASE = "shedlock-handovers";

	private final AtomicReference<Run> latest = new AtomicReference<>(new Run(-1, 0));

	private final Random random = new Random(1);

	private final String uri;

	private ShedLockHandovers(String uri) {
		this.uri = uri;
	}

	static List<Double> millis(String uri, int number) throws InterruptedException {
		try {
			return new ShedLockHandovers(uri).millis(Rounds.of(number));
		}
		finally {
			Databases.drop(uri, DATABASE);
		}
	}

	private List<Double> millis(int number) throws InterruptedException {
		List<Double> millis = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			List<LockedJobs> instances = List.of(instance(2 * i), instance(2 * i + 1));
			try {
				int first = 2 * i;
				Fleet.await(() -> this.latest.get().instance() >= first);
				Thread.sleep(this.random.nextLong(1000));
				int gone = this.latest.get().instance();
				long begun = System.nanoTime();
				instances.get(gone - first).close();
				int other = 2 * first + 1 - gone;
				Fleet.await(() -> this.latest.get().instance() == other);
				millis.add((this.latest.get().nanos() - begun) / 1e6);
			}
			finally {
				instances.forEach(LockedJobs::close);
			}
		}
		return millis;
	}

	private LockedJobs instance(int number) {
		return new LockedJobs(new CountedCommands().client(this.uri), DATABASE, 1, this.random,
				() -> this.latest.set(new Run(number, System.nanoTime())));
	}

	private record Run(int instance, long nanos) {

	}

}
