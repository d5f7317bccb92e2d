package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.LeaseStore.LeaseChange;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/**
 * The contract of a {@link LeaseStore} for elections, locks and sessions, on any record
 * store. Each test begins with empty stores. Concurrent changes of one record are covered
 * by the contract of a {@link RecordStore}.
 */
public abstract class LeaseStoreContractTests {

	protected static final Duration TTL = Duration.ofSeconds(20);

	/** Never reached while a server answers, even on a slow machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String ELECTION = "nightly-report";

	private static final Duration LITTLE = Duration.ofMillis(1);

	private static final int MANY = 1000;

	private LeaseStore elections;

	private LeaseStore locks;

	/** The store under test. */
	private LeaseStore store;

	/** Return the stores in which records are kept. */
	protected abstract RecordStores stores();

	/** Let time pass by the clock of the store, unless it does so by itself. */
	protected abstract void pass();

	@BeforeEach
	void open() {
		this.elections = LeaseStore.forElections(stores(), "shop.");
		this.locks = LeaseStore.forLocks(stores(), "shop.");
		this.store = this.elections;
	}

	// Leases

	@Test
	void missingLeasesAreCreatedVacant() {
		assertThat(this.store.read(List.of(ELECTION), List.of(), TIMEOUT))
			.isEqualTo(new LeaseReading(Map.of(), Map.of()));
		Lease known = elect("second", 5);
		List<Lease> created = Stream.of("first", "second", "third")
			.map((name) -> Lease.vacant(name, 7, 0, TTL))
			.toList();
		assertThat(this.store.create(created, TIMEOUT)).containsExactlyInAnyOrder("first", "third");
		assertThat(this.store.create(created, TIMEOUT)).isEmpty();
		assertThat(read("second")).isEqualTo(known);
		assertThat(read("first").revision()).isPositive();
		assertThat(read("first")).isEqualTo(Lease.vacant("first", 7, read("first").revision(), TTL));
	}

	/** A change based on an earlier state of the lease must fail. */
	@Test
	void leaseIsChangedOnlyAtTheLatestRevision() {
		List<Lease> former = new ArrayList<>();
		Lease vacant = create(ELECTION, 4);
		former.add(vacant);
		release(former, vacant, "b");
		Lease taken = take(former, read(ELECTION), "a", 5);
		HandoverRequest request = new HandoverRequest(5, "b", "c");
		assertThat(this.store.ask(taken.asking(request), TIMEOUT)).isTrue();
		former.add(assertNext(former, taken.asking(request)));
		assertThat(this.store.ask(read(ELECTION).asking(new HandoverRequest(5, null, "d")), TIMEOUT)).isTrue();
		former.add(assertNext(former, read(ELECTION)));
		pause(former, true);
		release(former, read(ELECTION), null);
		assertThat(this.store.ask(read(ELECTION).asking(request), TIMEOUT)).as("it is vacant").isFalse();
		pause(former, false);
		take(former, read(ELECTION), "b", 6);
		assertThat(this.store.ask(read(ELECTION).asking(request), TIMEOUT)).isTrue();
		Lease last = take(former, read(ELECTION), "c", 7);
		assertThat(last.request()).isNull();
		assertThat(former).hasSize(10);
	}

	private Lease take(List<Lease> former, Lease seen, String candidate, long term) {
		Session session = new Session(candidate, Session.MAX_NUMBER, 40, Duration.ofMillis(1500), null, false);
		Lease taken = this.store.take(List.of(seen.taken(session, term)), TIMEOUT).get(ELECTION);
		assertThat(taken.electedAt()).isNotNull();
		assertThat(taken).isEqualTo(new Lease(ELECTION, candidate, Session.MAX_NUMBER, term, seen.revision() + 1,
				Duration.ofMillis(1500), taken.electedAt(), null, null, false));
		former.add(assertNext(former, taken));
		return taken;
	}

	private void release(List<Lease> former, Lease seen, @Nullable String successor) {
		assertThat(this.store.release(List.of(seen.released(successor)), TIMEOUT)).containsExactly(ELECTION);
		former.add(assertNext(former, seen.released(successor)));
	}

	private void pause(List<Lease> former, boolean paused) {
		Lease seen = read(ELECTION);
		assertThat(this.store.pause(ELECTION, paused, TIMEOUT)).isTrue();
		assertThat(this.store.pause(ELECTION, paused, TIMEOUT)).isFalse();
		former.add(assertNext(former, new Lease(ELECTION, seen.holder(), seen.session(), seen.term(),
				seen.revision() + 1, seen.ttl(), seen.electedAt(), seen.successor(), seen.request(), paused)));
	}

	private Lease assertNext(List<Lease> former, Lease expected) {
		for (Lease lease : former) {
			assertThat(take(lease, 99)).isNull();
			assertThat(release(lease)).isFalse();
			assertThat(this.store.ask(lease.asking(new HandoverRequest(1, null, "x")), TIMEOUT)).isFalse();
		}
		assertThat(read(ELECTION)).isEqualTo(expected);
		return expected;
	}

	@Test
	void recreatedLeaseIsADifferentOne() {
		for (LeaseStore each : List.of(this.elections, this.locks)) {
			this.store = each;
			Lease before = create(ELECTION, 5);
			vanish(ELECTION);
			assertThat(this.store.pause(ELECTION, true, TIMEOUT)).isFalse();
			Lease next = create(ELECTION, 5);
			assertThat(next.revision()).isNotEqualTo(before.revision());
			assertThat(take(before, 6)).isNull();
			assertThat(release(before)).isFalse();
			assertThat(read(ELECTION)).isEqualTo(next);
			assertThat(take(next, 6)).isNotNull();
		}
	}

	@Test
	void greatestTermIsStored() {
		Lease lease = elect(ELECTION, 3);
		assertThat(take(lease, Lease.MAX_TERM)).isNotNull();
		assertThat(read(ELECTION).term()).isEqualTo(Lease.MAX_TERM);
	}

	/** A taking that is not reported may have succeeded: then the lease is its own. */
	@Test
	void onlySuccessfulTakesAreReported() {
		List<Lease> claims = Stream.of("free", "moved", "own").map((name) -> taking(create(name, 0), 1)).toList();
		Lease moved = elect("moved", 1);
		Lease own = elect("own", 1);
		assertThat(this.store.take(claims, TIMEOUT)).doesNotContainKeys("moved", "own");
		assertThat(read("free").isHeldBy("a")).isTrue();
		assertThat(Stream.of("moved", "own").map(this::read)).containsExactly(moved, own);
		assertThat(this.store.take(List.of(taking(read("free"), 2), taking(own, 2)), TIMEOUT)).containsOnlyKeys("free",
				"own");
	}

	@Test
	void onlySuccessfulReleasesAreReported() {
		Lease first = elect("first", 1);
		Lease old = elect("second", 1);
		Lease second = elect("second", 2);
		Lease third = elect("third", 1);
		assertThat(
				this.store.release(Stream.of(first, old, third).map((lease) -> lease.released("b")).toList(), TIMEOUT))
			.isSubsetOf("first", "third");
		assertThat(read("first")).isEqualTo(first.released("b"));
		assertThat(read("second")).isEqualTo(second);
		assertThat(read("third")).isEqualTo(third.released("b"));
	}

	@Test
	void readReturnsCurrentLeasesRegardlessOfKnownOnes() {
		List<String> elections = IntStream.range(0, 50).mapToObj((index) -> "e" + index).toList();
		elections.forEach((election) -> elect(election, 1));
		Map<String, Lease> known = this.store.read(elections, List.of(), TIMEOUT).leases();
		assertThat(this.store.read(elections, known.values(), TIMEOUT).leases()).isEqualTo(known);
		assertThat(this.store.pause("e6", true, TIMEOUT)).isTrue();
		assertThat(this.store.read(elections, known.values(), TIMEOUT).leases().get("e6").paused()).isTrue();
		release(known.get("e3"));
		elect("e3", 2);
		release(known.get("e5"));
		vanish("e8");
		LeaseReading now = this.store.read(elections, List.of(), TIMEOUT);
		assertThat(now.leases()).isNotEqualTo(known);
		assertThat(this.store.read(elections, known.values(), TIMEOUT)).isEqualTo(now);
		assertThat(this.store.read(List.of("e3"), known.values(), TIMEOUT).leases()).containsOnlyKeys("e3");
		assertThat(this.store.read(elections, now.leases().values(), TIMEOUT)).isEqualTo(now);
	}

	@Test
	void watchShowsEveryChangeOfALease() {
		try (RecordWatch watch = this.store.watch()) {
			Lease taken = elect(ELECTION, 1);
			awaitChange(this.store, watch, (change) -> taken.equals(change.lease()));
			assertThat(this.store.pause(ELECTION, true, TIMEOUT)).isTrue();
			awaitChange(this.store, watch, (change) -> change.lease() != null && change.lease().paused());
			assertThat(release(read(ELECTION))).isTrue();
			Lease released = read(ELECTION);
			awaitChange(this.store, watch, (change) -> released.equals(change.lease()));
			vanish(ELECTION);
			awaitChange(this.store, watch, (change) -> ELECTION.equals(change.removed()));
		}
	}

	@Test
	void prefixesSeparateApplications() {
		assertThat(this.store.leaseId(ELECTION)).isEqualTo("shop." + ELECTION);
		assertThat(this.locks.leaseId(ELECTION)).isEqualTo("lock:shop." + ELECTION);
		LeaseStore other = LeaseStore.forElections(stores(), "bank.");
		try (RecordWatch watch = this.store.watch()) {
			other.create(List.of(Lease.vacant(ELECTION, 40, 0, TTL)), TIMEOUT);
			Lease held = elect(ELECTION, 1);
			awaitChange(this.store, watch, (change) -> {
				assertThat(change.lease()).isNotNull();
				assertThat(change.lease().term()).isLessThan(40);
				return held.equals(change.lease());
			});
			Lease seen = other.read(List.of(ELECTION), List.of(), TIMEOUT).leases().get(ELECTION);
			assertThat(other.take(List.of(taking(seen, 41)), TIMEOUT).get(ELECTION).term()).isEqualTo(41);
			assertThat(other.release(List.of(held.released(null)), TIMEOUT)).isEmpty();
			assertThat(read(ELECTION)).isEqualTo(held);
		}
	}

	// Leases of locks

	@Test
	void unusedLeasesAreRemoved() {
		this.store = this.locks;
		Lease held = elect("held", 1);
		Lease released = elect(ELECTION, 7);
		pass();
		assertThat(release(released)).isTrue();
		assertThat(release(elect("paused", 1)) && this.store.pause("paused", true, TIMEOUT)).isTrue();
		assertThat(removeUnused(Duration.ofDays(1), MANY)).as("it counts from the release").isZero();
		try (RecordWatch watch = this.store.watch()) {
			awaitRemoved(1);
			awaitChange(this.store, watch, (change) -> ELECTION.equals(change.removed()));
		}
		pass();
		assertThat(removeUnused(LITTLE, MANY)).as("nothing is left that is not used").isZero();
		assertThat(this.store.read(List.of(ELECTION, "held", "paused"), List.of(), TIMEOUT).leases())
			.isEqualTo(Map.of("held", held, "paused", read("paused")));
	}

	@Test
	void removalRespectsItsLimit() {
		this.store = LeaseStore.forLocks(stores(), "bank.");
		IntStream.range(0, 3).forEach((i) -> assertThat(release(elect("lock-" + i, 1))).isTrue());
		this.store = this.locks;
		IntStream.range(3, 7).forEach((i) -> assertThat(release(elect("lock-" + i, 1))).isTrue());
		pass();
		await().until(() -> removeUnused(LITTLE, 3), (removed) -> removed == 3);
		awaitRemoved(4);
	}

	@Test
	void newLeaseStartsAboveEveryGrantedTerm() {
		this.store = this.locks;
		assertThat(release(elect(ELECTION, 7))).isTrue();
		awaitRemoved(1);
		Lease next = create(ELECTION, 0);
		assertThat(next).isEqualTo(Lease.vacant(ELECTION, next.term(), next.revision(), TTL));
		Lease taken = take(next, next.term() + 1);
		assertThat(taken.term()).isEqualTo(8);
		assertThat(read(ELECTION)).isEqualTo(taken);
		assertThat(take(create("other", 41), 42).term()).as("above what its creator knows").isEqualTo(42);
	}

	@Test
	void termsRiseUnderConcurrentChanges() throws Exception {
		for (long seed : List.of(20260101L, System.nanoTime())) {
			LockStoreFuzz fuzz = new LockStoreFuzz(this.locks, seed, TIMEOUT, this::pass);
			Race.run((racer) -> () -> fuzz.run(racer));
			fuzz.check();
		}
	}

	// Sessions

	@Test
	void sessionIsRenewedInOrderUntilItEnds() {
		assertRefused(null, 1, 2);
		assertThat(this.store.create(session(1), TIMEOUT)).isTrue();
		assertRefused(session(1), 1, 3, 900);
		assertThat(this.store.renew(session(2), TIMEOUT)).isTrue();
		assertThat(this.store.expire(session(1), TIMEOUT)).as("it was renewed since").isFalse();
		this.store.close(session(1), TIMEOUT);
		assertRefused(session(2), 1, 2, 4);
		SessionReading reading = this.store.sessions(Set.of(session(2).id()), true, TIMEOUT);
		Instant renewedAt = reading.sessions().get(session(2).id()).renewedAt();
		assertThat(reading.readAt()).isBetween(renewedAt, renewedAt.plus(TIMEOUT));
		assertThat(this.store.expire(session(2), TIMEOUT)).isTrue();
		assertThat(this.store.expire(session(2), TIMEOUT)).isFalse();
		// Nobody sends the revision that follows the end, and no other one matches.
		assertRefused(session(2).expired(), 1, 2, 3);
	}

	@Test
	void closedOrRemovedSessionIsMissing() {
		assertThat(this.store.create(session(5), TIMEOUT)).isTrue();
		this.store.close(session(5), TIMEOUT);
		assertRefused(null, 5, 6);
		this.store.close(session(5), TIMEOUT);
		assertThat(this.store.create(session(5), TIMEOUT)).isTrue();
		RecordStore records = stores().store(LeaseStore.SESSIONS);
		records.remove(records.read(List.of(session(5).id()), TIMEOUT).records().values(), TIMEOUT);
		assertRefused(null, 5, 6);
	}

	@Test
	void tombstoneCanBeEndedButNotRenewed() {
		Session tombstone = new Lease("jobs", session(1).candidate(), session(1).number(), 3, 9, TTL, null, null, null,
				false)
			.tombstone();
		assertThat(this.store.create(tombstone, TIMEOUT)).isTrue();
		assertRefused(tombstone, 2, 3, 42);
		assertThat(this.store.expire(tombstone, TIMEOUT)).isTrue();
		assertRefused(tombstone.expired());
	}

	/** Check the stored session, and that it can't be renewed so or created again. */
	private void assertRefused(@Nullable Session stored, long... revisions) {
		LongStream.of(revisions)
			.forEach((revision) -> assertThat(this.store.renew(session(revision), TIMEOUT)).as("revision " + revision)
				.isFalse());
		if (stored != null) {
			assertThat(this.store.create(session(1), TIMEOUT)).isFalse();
			assertThat(this.store.create(session(0), TIMEOUT)).as("a tombstone").isFalse();
		}
		Session found = this.store.sessions(List.of(session(1).id()), true, TIMEOUT).sessions().get(session(1).id());
		assertThat(found).usingRecursiveComparison().ignoringFields("renewedAt").isEqualTo(stored);
	}

	@Test
	void liveSessionsAreReadAlongWithNamedOnes() {
		Session great = new Session("a#b", Session.MAX_NUMBER, Session.MAX_NUMBER - 1, TTL, null, false);
		Session other = Session.first("other", 1, TTL);
		Stream.of(great, other).forEach((each) -> assertThat(this.store.create(each, TIMEOUT)).isTrue());
		assertThat(this.store.renew(great.renewed(), TIMEOUT)).isTrue();
		assertThat(this.store.sessions(List.of("none#1"), true, TIMEOUT).sessions()).containsOnlyKeys(great.id(),
				other.id());
		assertThat(this.store.sessions(List.of(great.id()), false, TIMEOUT).sessions().values()).singleElement()
			.returns(Session.MAX_NUMBER, Session::revision)
			.returns(Session.MAX_NUMBER, Session::number);
		assertThat(this.store.expire(other, TIMEOUT)).isTrue();
		assertThat(this.store.sessions(List.of(great.id()), true, TIMEOUT).sessions()).containsOnlyKeys(great.id());
		assertThat(this.store.sessions(List.of(other.id()), true, TIMEOUT).sessions()).containsOnlyKeys(great.id(),
				other.id());
	}

	@Test
	void sessionsAreSharedAcrossPrefixes() {
		assertThat(this.store.create(session(5), TIMEOUT)).isTrue();
		assertThat(LeaseStore.forLocks(stores(), "bank.").renew(session(6), TIMEOUT)).isTrue();
	}

	@Test
	void readsExactlyTheNamedSessionsEvenIfMany() {
		Set<String> named = new HashSet<>();
		for (int i = 1; i <= LeaseStore.FEW + 4; i++) {
			Session each = Session.first("many", i, TTL);
			assertThat(this.store.create(each, TIMEOUT)).isTrue();
			named.add(each.id());
		}
		Session ended = Session.first("many", 1, TTL);
		assertThat(this.store.expire(ended, TIMEOUT)).isTrue();
		named.remove(Session.id("many", 2));
		assertThat(this.store.sessions(named, false, TIMEOUT).sessions()).containsOnlyKeys(named);
	}

	protected static Session session(long revision) {
		return new Session("shop@web-1:4711-k3v9", 4_711_000_000_815L, revision, TTL, null, false);
	}

	private Lease read(String election) {
		Lease lease = this.store.read(List.of(election), List.of(), TIMEOUT).leases().get(election);
		assertThat(lease).as("lease of " + election).isNotNull();
		return lease;
	}

	private Lease create(String election, long term) {
		this.store.create(List.of(Lease.vacant(election, term, 0, TTL)), TIMEOUT);
		return read(election);
	}

	/** Take the lease, and create it first if there is none. */
	private Lease elect(String election, long term) {
		Lease taken = take(create(election, 0), term);
		assertThat(taken).isNotNull();
		return taken;
	}

	private @Nullable Lease take(Lease expected, long term) {
		return this.store.take(List.of(taking(expected, term)), TIMEOUT).get(expected.election());
	}

	private static Lease taking(Lease expected, long term) {
		return expected.taken(Session.first("a", 1, TTL), term);
	}

	private boolean release(Lease expected) {
		return !this.store.release(List.of(expected.released(null)), TIMEOUT).isEmpty();
	}

	/** Remove a lease behind the store's back. */
	private void vanish(String election) {
		RecordStore records = stores().store((this.store == this.locks) ? LeaseStore.LOCKS : LeaseStore.LEASES);
		String id = this.store.leaseId(election);
		assertThat(records.remove(records.read(List.of(id), TIMEOUT).records().values(), TIMEOUT)).containsExactly(id);
	}

	private void awaitRemoved(int number) {
		pass();
		int[] removed = new int[1];
		await().untilAsserted(() -> {
			removed[0] += removeUnused(LITTLE, MANY);
			assertThat(removed[0]).isEqualTo(number);
		});
	}

	private int removeUnused(Duration unusedFor, int most) {
		return this.store.removeUnused(unusedFor, most, TIMEOUT);
	}

	static void awaitChange(LeaseStore store, RecordWatch watch, Predicate<LeaseChange> expected) {
		Set<LeaseChange> seen = new HashSet<>();
		long start = System.nanoTime();
		while (System.nanoTime() - start < TIMEOUT.toNanos()) {
			RecordChange shown = watch.next();
			LeaseChange change = (shown != null) ? store.leaseChange(shown) : null;
			if (change != null && expected.test(change)) {
				return;
			}
			if (change != null) {
				seen.add(change);
			}
		}
		fail("The watch showed only " + seen);
	}

}
