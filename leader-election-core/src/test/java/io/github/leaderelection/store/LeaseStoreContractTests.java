package io.github.leaderelection.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * The contract of a {@link LeaseStore}. Each test begins with an empty store.
 */
public abstract class LeaseStoreContractTests {

	protected static final Duration TTL = Duration.ofSeconds(20);

	/** Never reached where a server answers, on however slow a machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String ELECTION = "nightly-report";

	/** Return the store, empty. */
	protected abstract LeaseStore store();

	/** Remove a lease behind the store's back. */
	protected abstract void vanish(String election);

	@Test
	void electionThatWasNeverSeenHasNoLease() {
		LeaseReading reading = store().read(List.of(ELECTION), TIMEOUT);
		assertThat(reading.leases()).isEmpty();
		assertThat(reading.damaged()).isEmpty();
	}

	@Test
	void createdLeaseIsVacant() {
		assertThat(create(ELECTION, 0)).isTrue();
		Lease lease = read(ELECTION);
		assertThat(lease.election()).isEqualTo(ELECTION);
		assertThat(lease.isVacant()).isTrue();
		assertThat(lease.term()).isZero();
		assertThat(lease.revision()).isPositive();
		assertThat(lease.ttl()).isEqualTo(TTL);
	}

	@Test
	void createKeepsTheTermThatTheCallerKnows() {
		assertThat(create(ELECTION, 41)).isTrue();
		assertThat(read(ELECTION).term()).isEqualTo(41);
	}

	@Test
	void readReturnsWhatIsStoredWhateverTheCallerKnows() {
		List<String> elections = IntStream.range(0, 50).mapToObj((index) -> "e" + index).toList();
		elections.forEach((election) -> elect(election, "a", 1));
		Map<String, Lease> known = store().read(elections, TIMEOUT).leases();
		assertThat(store().read(elections, known.values(), TIMEOUT).leases()).isEqualTo(known);
		assertThat(store().pause("e6", true, TIMEOUT)).isTrue();
		assertThat(store().read(elections, known.values(), TIMEOUT).leases().get("e6").paused()).isTrue();
		release(known.get("e3"));
		take(read("e3"), "b", 2);
		release(known.get("e5"));
		vanish("e8");
		LeaseReading now = store().read(elections, TIMEOUT);
		assertThat(now.leases()).isNotEqualTo(known);
		assertThat(store().read(elections, known.values(), TIMEOUT)).isEqualTo(now);
		assertThat(store().read(List.of("e3"), known.values(), TIMEOUT).leases()).containsOnlyKeys("e3");
		assertThat(store().read(elections, now.leases().values(), TIMEOUT)).isEqualTo(now);
	}

	@Test
	void vacantLeaseCanBeTaken() {
		create(ELECTION, 4);
		Lease vacant = read(ELECTION);
		Session session = new Session("a", Session.MAX_NUMBER, 40, Duration.ofMillis(1500), null, false);
		LeaseTaking taking = LeaseTaking.of(vacant, session, 5);
		Optional<Lease> taken = Optional.ofNullable(store().take(List.of(taking), TIMEOUT).get(ELECTION));
		assertThat(taken).isPresent();
		assertThat(taken.get().holder()).isEqualTo("a");
		assertThat(taken.get().session()).isEqualTo(Session.MAX_NUMBER);
		assertThat(taken.get().sessionId()).isEqualTo(session.id());
		assertThat(taken.get().term()).isEqualTo(5);
		assertThat(taken.get().revision()).isEqualTo(vacant.revision() + 1);
		assertThat(taken.get().ttl()).isEqualTo(Duration.ofMillis(1500));
		assertThat(read(ELECTION)).isEqualTo(taken.get());
	}

	@Test
	void takeFailsWhenTheLeaseHasBeenTaken() {
		create(ELECTION, 0);
		Lease vacant = read(ELECTION);
		assertThat(take(vacant, "a", 1)).isPresent();
		assertThat(take(vacant, "b", 1)).isEmpty();
		assertThat(take(vacant, "a", 1)).isEmpty();
		assertThat(read(ELECTION).holder()).isEqualTo("a");
	}

	@Test
	void takeFailsWhenTheLeaseWasRecreated() {
		create(ELECTION, 0);
		Lease before = read(ELECTION);
		vanish(ELECTION);
		create(ELECTION, 0);
		assertThat(read(ELECTION).revision()).isNotEqualTo(before.revision());
		assertThat(take(before, "a", 1)).isEmpty();
		assertThat(read(ELECTION).isVacant()).isTrue();
	}

	@Test
	void termMustRiseWithEachTaking() {
		Lease lease = elect(ELECTION, "a", 3);
		assertThat(take(lease, "a", 3)).isEmpty();
		LeaseTaking other = new LeaseTaking(lease,
				taking(Lease.vacant("other", 3, lease.revision(), TTL), "a", 4).taken());
		assertThat(store().take(List.of(other), TIMEOUT)).isEmpty();
		assertThat(read(ELECTION)).isEqualTo(lease);
	}

	@Test
	void noTermIsGreaterThanTheGreatest() {
		create(ELECTION, Lease.MAX_TERM - 1);
		Lease vacant = read(ELECTION);
		assertThat(take(vacant, "a", Lease.MAX_TERM + 1)).isEmpty();
		assertThat(take(vacant, "a", Lease.MAX_TERM)).isPresent();
		assertThat(read(ELECTION).term()).isEqualTo(Lease.MAX_TERM);
	}

	@Test
	void createsSeveralButWhereThereIsOne() {
		Lease second = elect("second", "a", 5);
		Lease third = Lease.vacant("third", 7, 0, TTL);
		assertThat(store().create(List.of(Lease.vacant("first", 0, 0, TTL), Lease.vacant("second", 0, 0, TTL), third),
				TIMEOUT))
			.containsExactlyInAnyOrder("first", "third");
		assertThat(read("first").term()).isZero();
		assertThat(read("second")).isEqualTo(second);
		assertThat(read("third").isVacant()).isTrue();
		assertThat(read("third").term()).isEqualTo(7);
		assertThat(store().create(List.of(), TIMEOUT)).isEmpty();
	}

	@Test
	void releasedLeaseIsVacantAndKeepsItsTerm() {
		Lease held = elect(ELECTION, "a", 3);
		assertThat(release(held)).isTrue();
		Lease after = read(ELECTION);
		assertThat(after).isEqualTo(held.released(null));
		assertThat(after.isVacant()).isTrue();
		assertThat(after.session()).isZero();
		assertThat(after.term()).isEqualTo(3);
		assertThat(after.revision()).isEqualTo(held.revision() + 1);
	}

	@Test
	void releasedLeaseShowsItsSuccessorUntilItIsTaken() {
		Lease held = elect(ELECTION, "a", 3);
		assertThat(held.successor()).isNull();
		assertThat(store().release(List.of(new LeaseRelease(held, "b")), TIMEOUT)).containsExactly(ELECTION);
		assertThat(read(ELECTION).successor()).isEqualTo("b");
		Lease other = elect(ELECTION, "c", 4);
		assertThat(read(ELECTION).successor()).isNull();
		assertThat(release(other)).isTrue();
		assertThat(read(ELECTION).successor()).isNull();
	}

	@Test
	void releaseOfAFormerRevisionChangesNothing() {
		Lease held = elect(ELECTION, "a", 5);
		assertNotReleased(inPlaceOf(held, "a", held.term(), held.revision() - 1));
		assertNotReleased(inPlaceOf(held, "a", held.term(), held.revision() + 1));
	}

	@Test
	void vacantLeaseCanBeReleasedSoThatALateTakingComesToNothing() {
		create(ELECTION, 3);
		Lease vacant = read(ELECTION);
		assertThat(store().release(List.of(new LeaseRelease(vacant, "b")), TIMEOUT)).containsExactly(ELECTION);
		Lease released = read(ELECTION);
		assertThat(released).isEqualTo(vacant.released("b"));
		assertThat(take(vacant, "a", 4)).isEmpty();
		assertThat(read(ELECTION)).isEqualTo(released);
		assertThat(take(released, "b", 4)).isPresent();
	}

	@Test
	void releasesSeveralAtOnceButWhereTheLeaseHasMoved() {
		Lease first = elect("first", "a", 1);
		Lease old = elect("second", "a", 1);
		elect("second", "a", 2);
		Lease third = elect("third", "a", 1);
		assertThat(store().release(
				List.of(new LeaseRelease(first, null), new LeaseRelease(old, "b"), new LeaseRelease(third, "b")),
				TIMEOUT))
			.isSubsetOf("first", "third");
		assertThat(read("first").isVacant()).isTrue();
		assertThat(read("second").isHeldBy("a")).isTrue();
		assertThat(read("third").successor()).isEqualTo("b");
		assertThat(store().release(List.of(), TIMEOUT)).isEmpty();
	}

	@Test
	void dateTellsWhenTheTermBegan() {
		create(ELECTION, 0);
		assertThat(read(ELECTION).electedAt()).isNull();
		Lease taken = elect(ELECTION, "a", 1);
		assertThat(taken.electedAt()).isNotNull();
		assertThat(release(taken)).isTrue();
		assertThat(read(ELECTION).electedAt()).isEqualTo(taken.electedAt());
	}

	@Test
	void watchShowsWhatBecomesOfALease() {
		try (LeaseWatch watch = store().watch()) {
			Lease taken = elect(ELECTION, "a", 1);
			awaitChange(watch, (change) -> taken.equals(change.lease()));
			assertThat(release(taken)).isTrue();
			Lease released = read(ELECTION);
			awaitChange(watch, (change) -> released.equals(change.lease()));
		}
	}

	@Test
	void holderIsAsked() {
		Lease held = elect(ELECTION, "a", 1);
		HandoverRequest request = new HandoverRequest(1, "b", "c");
		try (LeaseWatch watch = store().watch()) {
			assertThat(store().ask(held, request, TIMEOUT)).isTrue();
			awaitChange(watch, (change) -> change.lease() != null && request.equals(change.lease().request()));
		}
		assertThat(read(ELECTION)).isEqualTo(held.asking(request));
		HandoverRequest later = new HandoverRequest(1, null, "d");
		assertThat(store().ask(held, later, TIMEOUT)).as("it has changed").isFalse();
		assertThat(store().ask(read(ELECTION), later, TIMEOUT)).isTrue();
		assertThat(read(ELECTION).request()).isEqualTo(later);
	}

	@Test
	void whatAHolderWasAskedForEndsWithItsTerm() {
		Lease first = elect(ELECTION, "a", 1);
		HandoverRequest request = new HandoverRequest(1, null, "c");
		assertThat(store().ask(first, request, TIMEOUT)).isTrue();
		assertThat(take(first, "b", 2)).isEmpty();
		Lease second = take(read(ELECTION), "b", 2).orElseThrow();
		assertThat(second.request()).isNull();
		assertThat(read(ELECTION)).isEqualTo(second);
		assertThat(store().ask(second, request, TIMEOUT)).isTrue();
		assertNotReleased(second);
		assertThat(release(read(ELECTION))).isTrue();
		assertThat(read(ELECTION).request()).isNull();
	}

	@Test
	void onlyTheHolderThatIsExpectedIsAsked() {
		Lease first = elect(ELECTION, "a", 1);
		Lease second = take(first, "b", 2).orElseThrow();
		HandoverRequest request = new HandoverRequest(1, null, "c");
		assertThat(store().ask(first, request, TIMEOUT)).isFalse();
		assertThat(read(ELECTION)).isEqualTo(second);
		assertThat(release(second)).isTrue();
		Lease vacant = read(ELECTION);
		assertThat(store().ask(second, request, TIMEOUT)).isFalse();
		assertThat(store().ask(vacant, request, TIMEOUT)).isFalse();
		assertThat(read(ELECTION)).isEqualTo(vacant);
	}

	@Test
	void whoeverHasNotSeenAPauseCanNeitherTakeNorRelease() {
		assertThat(store().pause(ELECTION, true, TIMEOUT)).isFalse();
		Lease held = elect(ELECTION, "a", 1);
		try (LeaseWatch watch = store().watch()) {
			assertThat(store().pause(ELECTION, true, TIMEOUT)).isTrue();
			awaitChange(watch, (change) -> change.lease() != null && change.lease().paused());
		}
		assertThat(store().pause(ELECTION, true, TIMEOUT)).isFalse();
		assertThat(read(ELECTION)).isEqualTo(held.paused(true));
		assertThat(take(held, "b", 2)).isEmpty();
		assertNotReleased(held);
		assertThat(release(read(ELECTION))).isTrue();
		Lease vacant = read(ELECTION);
		assertThat(vacant.paused()).isTrue();
		assertThat(store().pause(ELECTION, false, TIMEOUT)).isTrue();
		assertThat(store().pause(ELECTION, false, TIMEOUT)).isFalse();
		assertThat(take(vacant, "b", 2)).isEmpty();
		assertThat(take(read(ELECTION), "b", 2)).isPresent();
	}

	@Test
	void takesSeveralAtOnce() {
		List<LeaseTaking> takings = takings("first", "second", "third");
		Map<String, Lease> taken = store().take(takings, TIMEOUT);
		assertThat(taken).containsOnlyKeys("first", "second", "third");
		taken.forEach((election, lease) -> {
			assertThat(lease).isEqualTo(read(election));
			assertThat(lease.electedAt()).isNotNull();
			assertThat(lease.isHeldBy("a")).isTrue();
		});
		assertThat(store().take(List.of(), TIMEOUT)).isEmpty();
	}

	@Test
	void doesNotReportOneOfSeveralAsTakenThatHasMoved() {
		List<LeaseTaking> takings = takings("first", "second", "third");
		Lease other = elect("second", "b", 1);
		Map<String, Lease> taken = store().take(takings, TIMEOUT);
		assertThat(taken).doesNotContainKey("second");
		assertThat(read("second")).isEqualTo(other);
		// Whoever was not told may take again what is its own.
		for (String election : List.of("first", "third")) {
			Lease own = read(election);
			assertThat(own.isHeldBy("a")).isTrue();
			assertThat(take(own, "a", 2)).isPresent();
		}
	}

	@Test
	void doesNotReportOneOfSeveralAsTakenThatAnEarlierCallHasTaken() {
		List<LeaseTaking> takings = takings("first", "second");
		assertThat(store().take(takings.subList(0, 1), TIMEOUT)).containsOnlyKeys("first");
		// The lease shows just what is claimed, but since when is not known.
		assertThat(store().take(takings, TIMEOUT)).doesNotContainKey("first");
	}

	@Test
	void oneOfSeveralTakingsThatIsNotValidDoesNotKeepTheOthersFromBeingTaken() {
		List<LeaseTaking> takings = new ArrayList<>(takings("first", "second"));
		Lease held = elect("third", "b", 3);
		takings.add(taking(held, "a", 3));
		assertThat(store().take(takings, TIMEOUT)).containsOnlyKeys("first", "second");
		assertThat(read("third")).isEqualTo(held);
	}

	private List<LeaseTaking> takings(String... elections) {
		return Stream.of(elections).map((election) -> {
			create(election, 0);
			return taking(read(election), "a", 1);
		}).toList();
	}

	@Test
	void watchShowsThatALeaseHasVanished() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = store().watch()) {
			vanish(ELECTION);
			awaitChange(watch, (change) -> change.lease() == null);
		}
	}

	protected final Lease read(String election) {
		Lease lease = store().read(List.of(election), TIMEOUT).leases().get(election);
		assertThat(lease).as("lease of " + election).isNotNull();
		return lease;
	}

	protected final boolean create(String election, long term) {
		return !store().create(List.of(Lease.vacant(election, term, 0, TTL)), TIMEOUT).isEmpty();
	}

	/** Have the candidate take the lease, which is created if there is none. */
	protected final Lease elect(String election, String candidate, long term) {
		create(election, 0);
		Optional<Lease> taken = take(read(election), candidate, term);
		assertThat(taken).isPresent();
		return taken.get();
	}

	protected final Optional<Lease> take(Lease expected, String candidate, long term) {
		return Optional
			.ofNullable(store().take(List.of(taking(expected, candidate, term)), TIMEOUT).get(expected.election()));
	}

	/** Return a taking under the first session of the candidate. */
	protected static LeaseTaking taking(Lease expected, String candidate, long term) {
		return LeaseTaking.of(expected, Session.first(candidate, 1, TTL), term);
	}

	protected final boolean release(Lease expected) {
		return store().release(List.of(new LeaseRelease(expected, null)), TIMEOUT).contains(expected.election());
	}

	protected final void awaitChange(LeaseWatch watch, Predicate<LeaseChange> expected) {
		Set<LeaseChange> seen = new HashSet<>();
		long start = System.nanoTime();
		while (System.nanoTime() - start < TIMEOUT.toNanos()) {
			LeaseChange change = watch.next();
			if (change != null && expected.test(change)) {
				return;
			}
			if (change != null) {
				seen.add(change);
			}
		}
		fail("The watch showed only " + seen);
	}

	private static Lease inPlaceOf(Lease lease, String holder, long term, long revision) {
		return new Lease(lease.election(), holder, lease.session(), term, revision, lease.ttl(), null, null);
	}

	private void assertNotReleased(Lease expected) {
		Lease before = read(expected.election());
		assertThat(release(expected)).isFalse();
		assertThat(read(expected.election())).isEqualTo(before);
	}

}
