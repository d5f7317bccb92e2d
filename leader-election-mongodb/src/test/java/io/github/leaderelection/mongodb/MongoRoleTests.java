package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.StoredRuns;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Session;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the documented roles are sufficient, and grant nothing else.
 */
class MongoRoleTests {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final JobKey RECORDED = new JobKey("x", "recorded");

	private static SecuredMongo mongo;

	private static MongoClient client;

	private static MongoDatabase shop;

	/** The same database, with all rights. */
	private static MongoDatabase behind;

	@BeforeAll
	static void start() {
		mongo = new SecuredMongo();
		mongo.createUser("job", "job-password");
		client = MongoClients.create(mongo.uri("job", "job-password", "shop"));
		shop = client.getDatabase("shop");
		behind = mongo.database("shop");
	}

	@AfterAll
	static void stop() {
		client.close();
		mongo.close();
	}

	@BeforeEach
	void prepare() {
		DocumentedRoles.actions().keySet().forEach((collection) -> behind.getCollection(collection).drop());
		behind.getCollection(MongoStores.LEASES).insertMany(List.of(lease("vacant", null), lease("held", "a#1")));
		behind.getCollection(MongoStores.SESSIONS)
			.insertMany(Stream.of("renewed", "ended", "closed").map((id) -> session(id, "alive")).toList());
		behind.getCollection(MongoStores.SESSIONS).insertOne(session("gone", "ended"));
		behind.getCollection(MongoStores.CANDIDATES)
			.insertOne(new Document("_id", "crashed").append("revision", 1L)
				.append("state", "here")
				.append("changedAt", Date.from(Instant.EPOCH)));
		new StoredRuns(runs(behind)).open(1, "", Instant.EPOCH, RECORDED);
		behind.getCollection(MongoStores.LOCKS)
			.insertMany(List.of(lease("lock:vacant", null).append("changedAt", new Date()),
					lease("lock:held", "a#1").append("changedAt", new Date()), lease("lock:unused", null)));
	}

	@Test
	void documentedCommandsCreateAUserWithSufficientPrivileges() {
		MongoDatabase database = mongo.database("shop");
		List<String> roles = new ArrayList<>();
		for (Document command : DocumentedRoles.commands("shop")) {
			database.runCommand(command);
			roles.add(command.getString("createRole"));
		}
		database.runCommand(new Document("createUser", "documented").append("pwd", "secret").append("roles", roles));
		String uri = mongo.uri("documented", "secret", "shop").replace("authSource=admin", "authSource=shop");
		try (MongoClient documented = MongoClients.create(uri)) {
			assertThat(failures(documented, documented.getDatabase("shop"))).isEmpty();
		}
	}

	@ParameterizedTest
	@MethodSource
	void everyDocumentedActionIsNeeded(String collection, String action) {
		assertThat(DocumentedRoles.purposes()).containsKey(collection + " " + action);
		mongo.allow("job", "shop", DocumentedRoles.actionsWithout(collection, action));
		String missing = collection.replace(MongoRecordStores.COLLECTIONS, "") + " " + action;
		assertThat(failures(client, shop)).isNotEmpty()
			.isEqualTo(all(client, shop).keySet()
				.stream()
				.filter((what) -> List.of(what.split(": |, ")).contains(missing))
				.collect(Collectors.toSet()));
	}

	static Stream<Arguments> everyDocumentedActionIsNeeded() {
		Map<String, List<String>> granted = DocumentedRoles.actions();
		assertThat(DocumentedRoles.purposes()).hasSize(granted.values().stream().mapToInt(List::size).sum());
		return granted.entrySet()
			.stream()
			.flatMap((each) -> each.getValue().stream().map((action) -> Arguments.of(each.getKey(), action)));
	}

	/** Perform all operations, and return those that fail. */
	private static Set<String> failures(MongoClient client, MongoDatabase database) {
		Set<String> failures = new TreeSet<>();
		all(client, database).forEach((what, action) -> {
			try {
				action.run();
			}
			catch (LeaseStoreException | MongoException | UnsupportedOperationException ex) {
				failures.add(what);
			}
		});
		return failures;
	}

	/** Return all operations, each named with the actions that it needs. */
	private static Map<String, Runnable> all(MongoClient client, MongoDatabase database) {
		LeaseStore store = MongoStores.leases(database);
		CandidateRegistry registry = MongoStores.candidates(database);
		StoredRuns runs = new StoredRuns(runs(database));
		TermFence fence = new TermFence(database);
		Map<String, Runnable> all = new LinkedHashMap<>();
		all.put("read: leases find", () -> store.read(List.of("vacant", "none"), List.of(), TIMEOUT));
		all.put("add up: leases find",
				() -> new MongoRecordStores(database).store(LeaseStore.LEASES).sum(List.of("a#1"), TIMEOUT));
		all.put("create: leases insert", () -> store.create(List.of(Lease.vacant("new", 0, 0, TTL)), TIMEOUT));
		all.put("take: leases find, leases update", () -> take(store));
		all.put("ask: leases find, leases update",
				() -> assertThat(store.ask(held(1).asking(new HandoverRequest(1, null, "b")), TIMEOUT)).isTrue());
		all.put("release: leases find, leases update", () -> release(store, 2));
		all.put("pause: leases find, leases update", () -> assertThat(store.pause("vacant", true, TIMEOUT)).isTrue());
		all.put("push: leases find, leases changeStream", () -> store.watch().close());
		all.put("begin: sessions insert", () -> store.create(session("new"), TIMEOUT));
		all.put("renew: sessions find, sessions update",
				() -> assertThat(store.renew(session("renewed").renewed(), TIMEOUT)).isTrue());
		all.put("end: sessions find, sessions update",
				() -> assertThat(store.expire(session("ended"), TIMEOUT)).isTrue());
		all.put("close: sessions remove", () -> store.close(session("closed"), TIMEOUT));
		all.put("watch: sessions find", () -> store.sessions(List.of("renewed#1"), true, TIMEOUT));
		all.put("announce: candidates find, candidates insert, candidates update",
				() -> MongoStores.candidates(database).announce(candidate("one"), TIMEOUT));
		all.put("withdraw: candidates find, candidates insert, candidates update, candidates remove", () -> {
			registry.announce(candidate("three"), TIMEOUT);
			registry.remove("three", TIMEOUT);
		});
		all.put("list: candidates find", () -> registry.findAll(TIMEOUT));
		all.put("forget candidates: candidates find, candidates remove", () -> {
			if (registry.findAll(TIMEOUT).stream().anyMatch((each) -> each.id().equals("crashed"))) {
				throw new LeaseStoreException("It could not be removed", null);
			}
		});
		all.put("open: runs find, runs insert", () -> runs.open(1, "", Instant.EPOCH, new JobKey("x", "new")));
		all.put("start: runs find, runs update", () -> start(runs));
		all.put("settle: runs find, runs update", () -> runs.cover(runs.find(RECORDED), Instant.now(), 1));
		all.put("look: runs find", () -> runs.find(RECORDED));
		all.put("fence: fences insert, fences update", () -> pass(client, fence, 2));
		LeaseStore locks = MongoStores.locks(database);
		all.put("read a lock: locks find", () -> locks.read(List.of("vacant", "none"), List.of(), TIMEOUT));
		all.put("remove a lock: locks find, locks insert, locks remove",
				() -> assertThat(locks.removeUnused(Duration.ofDays(1), 10, TIMEOUT)).isOne());
		all.put("remove another lock: locks find, locks insert, locks update, locks remove", () -> {
			behind.getCollection(MongoStores.LOCKS).insertOne(lease("lock:another", null).append("term", 5L));
			assertThat(locks.removeUnused(Duration.ofDays(1), 10, TIMEOUT)).isPositive();
		});
		all.put("create a lock: locks insert", () -> locks.create(List.of(Lease.vacant("new", 0, 0, TTL)), TIMEOUT));
		all.put("take a lock: locks find, locks update", () -> take(locks));
		all.put("release a lock: locks find, locks update", () -> release(locks, 1));
		all.put("push locks: locks find, locks changeStream", () -> locks.watch().close());
		all.put("tell: fences find, fences insert, fences update", () -> requireTold(client, fence));
		return all;
	}

	private static void take(LeaseStore store) {
		Lease claim = Lease.vacant("vacant", 1, 1, TTL).taken(session("a"), 2);
		assertThat(store.take(List.of(claim), TIMEOUT)).containsKey("vacant");
	}

	private static void release(LeaseStore store, long revision) {
		// The request for a handover before may have been refused.
		Set<String> released = new TreeSet<>(store.release(List.of(held(revision).released(null)), TIMEOUT));
		if (released.isEmpty()) {
			released.addAll(store.release(List.of(held(1).released(null)), TIMEOUT));
		}
		assertThat(released).containsExactly("held");
	}

	private static Lease held(long revision) {
		return new Lease("held", "a", 1, 1, revision, TTL, null, null, null, false);
	}

	private static CandidateRecord candidate(String id) {
		return new CandidateRecord(id, "shop", "web-1", null, null, Set.of(), null, Set.of());
	}

	private static Document session(String candidate, String state) {
		return new Document("_id", candidate + "#1").append("revision", 1L)
			.append("state", state)
			.append("ttlMillis", TTL.toMillis());
	}

	private static Session session(String candidate) {
		return Session.first(candidate, 1, TTL);
	}

	private static MongoRecordStore runs(MongoDatabase database) {
		return new MongoRecordStore(database, MongoStores.RUNS, RecordedJobs.RUNS);
	}

	private static void start(StoredRuns runs) {
		JobRun run = new JobRun("one", RECORDED.election(), RECORDED.job(), Instant.EPOCH.plusSeconds(1),
				Cause.SCHEDULED, 1, 1, "a", null, null, Outcome.RUNNING);
		assertThat(runs.start(RECORDED, run)).isTrue();
		runs.end(RECORDED, "one", Outcome.FAILED);
	}

	private static void requireTold(MongoClient client, TermFence fence) {
		try {
			pass(client, fence, 1);
		}
		catch (LeadershipLostException ex) {
			return;
		}
		throw new UnsupportedOperationException("No fence");
	}

	private static void pass(MongoClient client, TermFence fence, long term) {
		try (ClientSession session = client.startSession()) {
			session.startTransaction();
			fence.pass(session, new TestTerm("x", term).leadership());
			session.commitTransaction();
		}
	}

	private static Document lease(String election, String holder) {
		return new Document("_id", election).append("holder", holder)
			.append("term", 1L)
			.append("revision", 1L)
			.append("ttlMillis", TTL.toMillis());
	}

}
