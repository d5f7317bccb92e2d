package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.MongoRecordStores;

/**
 * Measures what locks on demand cost.
 */
final class Locks {

	private static final int WAITERS = 50;

	private static final int NAMES = 10_000;

	private static final int ONES = 200;

	private static final Duration WAIT = Duration.ofMinutes(10);

	private static final Duration REST = Duration.ofSeconds(5);

	private final String database = "locks-" + UUID.randomUUID();

	private final String uri;

	private final Report report;

	private Locks(String uri, Report report) {
		this.uri = uri;
		this.report = report;
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		Locks locks = new Locks(mongo.uri(), report);
		report.title("Locks");
		try {
			locks.uncontended();
			locks.handovers();
			locks.waiting();
			locks.names();
		}
		finally {
			Databases.drop(mongo.uri(), locks.database);
		}
	}

	private void uncontended() throws InterruptedException {
		this.report.paragraph(
				"""
						Milliseconds to acquire a lock that nobody else wants, and to release it, repeated by one thread, with one name or with a new name each
						time. The libraries take turns. On MongoDB all writes wait for a majority of three servers. Spring Integration's JDBC registry is on H2 in
						memory, which costs next to nothing. `close()` of this library goes on in the background: the next call for the same name waits for it, a
						call for another name does not.
						""");
		try (LockContenders contenders = new LockContenders(this.uri, this.database, Databases.h2(),
				"Spring Integration on H2")) {
			contenders.measure(this.report);
		}
	}

	private void handovers() throws InterruptedException {
		this.report.paragraph(
				"""
						Milliseconds from `close()` until the next waiter has acquired the lock, while all others wait for it. It is held for 50 to 150 ms. Each
						process is an engine with its own client; all are in one JVM.
						""");
		this.report.table(Stream.concat(Stream.of("who wait"), Samples.TITLES.stream()).toList());
		this.report.row("one in each of 10 processes", () -> {
			Samples samples = new Samples(LockHandovers.millis(this.uri, this.database, 10, 1));
			this.report.measured(Target.LOCK_HANDOVER, samples.median());
			return samples.columns();
		});
		this.report.row("10 in one process",
				() -> new Samples(LockHandovers.millis(this.uri, this.database, 1, 10)).columns());
	}

	private void waiting() throws InterruptedException {
		this.report.paragraph("""
				Commands that %d waiters for one lock send while another process holds it, for %d s, with a TTL of 20 s.
				""".formatted(WAITERS, LoadMeter.WINDOW.toSeconds()));
		this.report.table(List.of("processes", "commands/s", "by name"));
		for (int processes : List.of(1, 10, WAITERS)) {
			this.report.row(Integer.toString(processes), () -> waiting(processes));
		}
	}

	private List<String> waiting(int processes) throws InterruptedException {
		String name = "waited-for-" + processes;
		CountedCommands commands = new CountedCommands();
		List<LockInstance> instances = new ArrayList<>();
		try (LockInstance holder = new LockInstance(new CountedCommands().open(this.uri, this.database));
				HeldLock held = holder.locks().acquire(name, WAIT)) {
			List<CompletableFuture<HeldLock>> waiters = new ArrayList<>();
			for (int i = 0; i < processes; i++) {
				LockInstance instance = new LockInstance(commands.open(this.uri, this.database));
				instances.add(instance);
				IntStream.range(0, WAITERS / processes)
					.forEach((each) -> waiters.add(instance.locks().acquireAsync(name, WAIT)));
			}
			Thread.sleep(REST.toMillis());
			Commands before = commands.count();
			Thread.sleep(LoadMeter.WINDOW.toMillis());
			Commands sent = commands.count().minus(before);
			if (!held.isHeld() || waiters.stream().anyMatch(CompletableFuture::isDone)) {
				throw new IllegalStateException("The lock changed hands");
			}
			waiters.forEach((waiter) -> waiter.cancel(false));
			double perSecond = sent.total() / (double) LoadMeter.WINDOW.toSeconds();
			this.report.measuredMost(Target.LOCK_WAITING, perSecond);
			return List.of(Samples.format(perSecond), sent.describe((double) LoadMeter.WINDOW.toSeconds()));
		}
		finally {
			instances.parallelStream().forEach(LockInstance::close);
		}
	}

	private void names() throws InterruptedException {
		String all = String.format(Locale.ROOT, "%,d", NAMES);
		this.report.paragraph(
				"""
						One process acquires %s new names at once and then releases all of them. The heap in use, including everything else's, is measured after
						garbage collections, each time two minutes later. Threads are those of locks, found by name.
						"""
					.formatted(all));
		this.report.table(List.of("", "took", "commands", "heap, kB", "threads"));
		CountedCommands commands = new CountedCommands();
		try (MongoClient client = MongoClients.create(this.uri);
				LockInstance instance = new LockInstance(commands.open(this.uri, this.database))) {
			LockService locks = instance.locks();
			locks.acquire("first", WAIT).close();
			awaitNobodyHolds(client);
			this.report.row(state("before", 0, Commands.NONE));
			double alone = oneMillis(locks);
			Commands before = commands.count();
			long begun = System.nanoTime();
			List<CompletableFuture<HeldLock>> acquired = new ArrayList<>();
			IntStream.range(0, NAMES).forEach((i) -> acquired.add(locks.acquireAsync("many-" + i, WAIT)));
			CompletableFuture.allOf(acquired.toArray(CompletableFuture[]::new)).join();
			long took = System.nanoTime() - begun;
			Commands sent = commands.count().minus(before);
			this.report.row(state(all + " acquired", took, sent));
			double beside = oneMillis(locks);
			this.report
				.row(List.of("one more, median of %d; before, it was %s ms".formatted(ONES, Samples.format(alone)),
						Samples.format(beside) + " ms", "–", "–", "–"));
			this.report.measured(Target.LOCK_BESIDE, beside / alone);
			before = commands.count();
			begun = System.nanoTime();
			acquired.forEach((lock) -> lock.join().close());
			awaitNobodyHolds(client);
			took = System.nanoTime() - begun;
			sent = commands.count().minus(before);
			acquired.clear();
			this.report.row(state(all + " given back", took, sent));
		}
	}

	/** Return the median time to acquire an uncontended lock and close it. */
	private static double oneMillis(LockService locks) throws InterruptedException {
		List<Double> millis = new ArrayList<>();
		for (int i = 0; i < ONES; i++) {
			long begun = System.nanoTime();
			locks.acquire("one-" + i, WAIT).close();
			millis.add((System.nanoTime() - begun) / 1e6);
		}
		return new Samples(millis).median();
	}

	private void awaitNobodyHolds(MongoClient client) throws InterruptedException {
		Fleet.await(() -> client.getDatabase(this.database)
			.getCollection(MongoRecordStores.COLLECTIONS + "locks")
			.find(Filters.type("holder", "string"))
			.first() == null);
	}

	private static List<String> state(String when, long nanos, Commands commands) throws InterruptedException {
		// Threads that have notified waiters, and buffers of the driver, linger.
		Thread.sleep(TimeUnit.MINUTES.toMillis(2));
		long threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leader-election"))
			.count();
		return List.of(when, (nanos > 0) ? Samples.format(nanos / 1e9) + " s" : "–",
				(nanos > 0) ? commands.describe(1) : "–", Samples.number(Math.rint(Heap.used() / 1000.0)),
				Long.toString(threads));
	}

}
