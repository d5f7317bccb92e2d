package io.github.leaderelection.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.benchmarks.Fleet.Elected;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * A candidate, with an engine and a client of its own.
 */
final class Member implements AutoCloseable {

	/** The prefix of the names of threads that call listeners. */
	static final String CALLBACK = "callback-";

	private final ConcurrentLinkedQueue<Elected> elected = new ConcurrentLinkedQueue<>();

	private final DatabaseClient client;

	private final ElectionEngine engine;

	/**
	 * Create and start a candidate.
	 * @param client the client, which is closed with the candidate
	 * @param settings the settings of all elections
	 * @param elections the names of the elections to stand in at first
	 */
	Member(DatabaseClient client, ElectionSettings settings, List<String> elections) {
		this.client = client;
		CandidateRecord identity = new CandidateRecord("candidate-" + UUID.randomUUID(), "benchmarks", "localhost",
				null, null, Set.of(), null, Set.of());
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(CALLBACK);
		executor.setDaemon(true);
		RecordStores stores = client.stores();
		this.engine = new ElectionEngine(identity, LeaseStore.forElections(stores, ""),
				new CandidateRegistry(stores, ""), (election) -> settings, executor,
				List.of(new Listener(this.elected)), EngineClock.SYSTEM);
		elections.forEach(this.engine::stand);
		this.engine.start();
	}

	ElectionEngine engine() {
		return this.engine;
	}

	/**
	 * Return the terms that have begun here.
	 */
	Collection<Elected> elected() {
		return this.elected;
	}

	@Override
	public void close() {
		this.engine.close();
		this.client.close();
	}

	private record Listener(ConcurrentLinkedQueue<Elected> elected) implements ElectionListener {

		@Override
		public void onElected(Leadership leadership) {
			this.elected.add(new Elected(leadership.election(), leadership.term(), System.nanoTime()));
		}

	}

}
