package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.store.LeaseStore;

/**
 * Candidates that run in this JVM, each with its own engine and client, as if it were a
 * process.
 */
final class Fleet implements AutoCloseable {

	private static final AtomicInteger databases = new AtomicInteger();

	private final List<Member> members = new ArrayList<>();

	private final CountedCommands commands = new CountedCommands();

	private final List<String> elections;

	private final ElectionSettings settings;

	private final String uri;

	private final String database;

	private boolean drop;

	/**
	 * Create a fleet without candidates, on a database of its own.
	 * @param uri the URI of MongoDB or PostgreSQL
	 * @param elections how many elections each candidate stands in
	 * @param ttl the time to live of all leases
	 */
	Fleet(String uri, int elections, Duration ttl) {
		this(uri, "fleet" + databases.incrementAndGet(), elections, ttl);
		Databases.create(uri, this.database);
		this.drop = true;
	}

	/**
	 * Create a fleet without candidates.
	 * @param uri the URI of MongoDB or PostgreSQL
	 * @param database the name of the database
	 * @param elections how many elections each candidate stands in
	 * @param ttl the time to live of all leases
	 */
	Fleet(String uri, String database, int elections, Duration ttl) {
		this.uri = uri;
		this.database = database;
		this.elections = IntStream.range(0, elections).mapToObj("election-%d"::formatted).toList();
		this.settings = ElectionSettings.of(ttl);
	}

	String database() {
		return this.database;
	}

	List<String> elections() {
		return this.elections;
	}

	CountedCommands commands() {
		return this.commands;
	}

	List<Member> members() {
		return this.members;
	}

	/**
	 * Add candidates, and wait until all of them have seen who leads, in this fleet or
	 * elsewhere.
	 */
	void follow(int candidates) throws InterruptedException {
		join(candidates);
		settle();
	}

	/**
	 * Add candidates.
	 */
	void join(int candidates) {
		for (int i = 0; i < candidates; i++) {
			join(this.elections);
		}
	}

	/**
	 * Add a candidate that stands in some of the elections at first.
	 */
	void join(List<String> some) {
		this.members.add(new Member(this.commands.open(this.uri, this.database), this.settings, some));
	}

	/**
	 * Let all candidates stand in all elections.
	 */
	void standInAll() {
		this.members.forEach((member) -> this.elections.forEach(member.engine()::stand));
	}

	/**
	 * Add candidates, and wait until one of them leads each election.
	 */
	void start(int candidates) throws InterruptedException {
		follow(candidates);
		await(() -> this.elections.stream().allMatch((election) -> leader(election).isPresent()));
	}

	Optional<Member> leader(String election) {
		return this.members.stream().filter((member) -> member.engine().isLeader(election)).findFirst();
	}

	/**
	 * Wait until every candidate has seen who leads.
	 */
	void settle() throws InterruptedException {
		await(() -> this.members.stream()
			.allMatch((member) -> this.elections.stream()
				.allMatch((election) -> member.engine().leader(election).isPresent())));
	}

	/**
	 * Wait until all followers but one have closed their sessions: one stands by, beside
	 * the leader.
	 */
	void rest() throws InterruptedException {
		try (DatabaseClient client = new CountedCommands().open(this.uri, this.database)) {
			LeaseStore store = LeaseStore.forElections(client.stores(), "");
			await(() -> alive(store) <= 2);
		}
	}

	private static long alive(LeaseStore store) {
		return store.sessions(List.of(), true, Duration.ofSeconds(10))
			.sessions()
			.values()
			.stream()
			.filter((session) -> !session.ended())
			.count();
	}

	/** Return the terms that began in this fleet. */
	List<Elected> elected() {
		return this.members.stream().flatMap((member) -> member.elected().stream()).toList();
	}

	Optional<Elected> latest() {
		return elected().stream().reduce((a, b) -> (a.term() > b.term()) ? a : b);
	}

	static void await(BooleanSupplier condition) throws InterruptedException {
		long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() > deadline) {
				throw new IllegalStateException("The condition was not met in time");
			}
			Thread.sleep(5);
		}
	}

	/**
	 * Hand over and leave. Drop the database if it belongs to this fleet.
	 */
	@Override
	public void close() {
		this.members.parallelStream().forEach(Member::close);
		if (this.drop) {
			Databases.drop(this.uri, this.database);
		}
	}

	/**
	 * A term that began.
	 *
	 * @param election the election
	 * @param term its number
	 * @param nanos when it began, by {@link System#nanoTime()}
	 */
	record Elected(String election, long term, long nanos) {

	}

}
