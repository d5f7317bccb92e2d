package io.github.leaderelection.store;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of a {@link LeaseStore}. Each test begins with an empty store.
 */
public abstract class LeaseStoreContractTests {

	protected static final Duration TTL = Duration.ofSeconds(20);

	/** Never reached where a server answers, on however slow a machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String ELECTION = "nightly-report";

	private static final int RACERS = 16;

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
	void nothingAskedForIsNothingRead() {
		LeaseReading reading = store().read(List.of(), TIMEOUT);
		assertThat(reading.leases()).isEmpty();
		assertThat(reading.damaged()).isEmpty();
	}

	@Test
	void createdLeaseIsVacant() {
		assertThat(store().create(ELECTION, 0, TTL, TIMEOUT)).isTrue();
		Lease lease = read(ELECTION);
		assertThat(lease.election()).isEqualTo(ELECTION);
		assertThat(lease.isVacant()).isTrue();
		assertThat(lease.term()).isZero();
		assertThat(lease.revision()).isZero();
		assertThat(lease.ttl()).isEqualTo(TTL);
	}

	@Test
	void createKeepsTheTermThatTheCallerKnows() {
		assertThat(store().create(ELECTION, 41, TTL, TIMEOUT)).isTrue();
		assertThat(read(ELECTION).term()).isEqualTo(41);
	}

	@Test
	void createLeavesAnExistingLeaseAlone() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		Lease before = read(ELECTION);
		assertThat(store().create(ELECTION, 7, Duration.ofSeconds(1), TIMEOUT)).isFalse();
		assertThat(read(ELECTION)).isEqualTo(before);
		assertThat(before.isHeldBy(claim.holder())).isTrue();
	}

	@Test
	void onlyOneOfManyRacersCreatesTheLease() throws Exception {
		List<Boolean> created = race((racer) -> () -> store().create(ELECTION, racer, TTL, TIMEOUT));
		assertThat(created.stream().filter((each) -> each)).hasSize(1);
		assertThat(read(ELECTION).term()).isEqualTo(created.indexOf(true));
	}

	@Test
	void readReturnsTheLeasesAskedForOnly() {
		store().create("a", 1, TTL, TIMEOUT);
		store().create("b", 2, TTL, TIMEOUT);
		store().create("c", 3, TTL, TIMEOUT);
		LeaseReading reading = store().read(List.of("a", "c", "d", "a"), TIMEOUT);
		assertThat(reading.leases()).containsOnlyKeys("a", "c");
		assertThat(reading.leases().get("c").term()).isEqualTo(3);
	}

	@Test
	void vacantLeaseCanBeTaken() {
		store().create(ELECTION, 4, TTL, TIMEOUT);
		Lease vacant = read(ELECTION);
		Optional<Lease> taken = store().take(vacant, new LeaseClaim(ELECTION, "a", 5), Duration.ofMillis(1500),
				TIMEOUT);
		assertThat(taken).isPresent();
		assertThat(taken.get().holder()).isEqualTo("a");
		assertThat(taken.get().term()).isEqualTo(5);
		assertThat(taken.get().revision()).isEqualTo(1);
		assertThat(taken.get().ttl()).isEqualTo(Duration.ofMillis(1500));
		assertThat(read(ELECTION)).isEqualTo(taken.get());
	}

	@Test
	void heldLeaseCanBeTakenByWhoeverSawItLast() {
		elect(ELECTION, "a", 1);
		Optional<Lease> taken = store().take(read(ELECTION), new LeaseClaim(ELECTION, "b", 9), TTL, TIMEOUT);
		assertThat(taken).isPresent();
		assertThat(taken.get().holder()).isEqualTo("b");
		assertThat(taken.get().term()).isEqualTo(9);
	}

	@Test
	void takeFailsWhenTheLeaseHasBeenRenewed() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		Lease stale = read(ELECTION);
		store().renew(List.of(claim), TIMEOUT);
		Lease renewed = read(ELECTION);
		assertThat(store().take(stale, new LeaseClaim(ELECTION, "b", 2), TTL, TIMEOUT)).isEmpty();
		assertThat(read(ELECTION)).isEqualTo(renewed);
	}

	@Test
	void takeFailsWhenTheLeaseHasBeenTaken() {
		store().create(ELECTION, 0, TTL, TIMEOUT);
		Lease vacant = read(ELECTION);
		assertThat(store().take(vacant, new LeaseClaim(ELECTION, "a", 1), TTL, TIMEOUT)).isPresent();
		assertThat(store().take(vacant, new LeaseClaim(ELECTION, "b", 1), TTL, TIMEOUT)).isEmpty();
		assertThat(store().take(vacant, new LeaseClaim(ELECTION, "a", 1), TTL, TIMEOUT)).isEmpty();
		assertThat(read(ELECTION).holder()).isEqualTo("a");
	}

	@Test
	void takeFailsWhenTheLeaseWasRecreatedWithAnotherTerm() {
		store().create(ELECTION, 0, TTL, TIMEOUT);
		Lease before = read(ELECTION);
		vanish(ELECTION);
		store().create(ELECTION, 5, TTL, TIMEOUT);
		assertThat(read(ELECTION).revision()).isEqualTo(before.revision());
		assertThat(store().take(before, new LeaseClaim(ELECTION, "a", 6), TTL, TIMEOUT)).isEmpty();
		assertThat(read(ELECTION).isVacant()).isTrue();
	}

	@Test
	void takeFailsWhenTheLeaseHasVanished() {
		store().create(ELECTION, 0, TTL, TIMEOUT);
		Lease before = read(ELECTION);
		vanish(ELECTION);
		assertThat(store().take(before, new LeaseClaim(ELECTION, "a", 1), TTL, TIMEOUT)).isEmpty();
		assertThat(store().read(List.of(ELECTION), TIMEOUT).leases()).isEmpty();
	}

	@Test
	void termMustRiseWithEachTaking() {
		LeaseClaim claim = elect(ELECTION, "a", 3);
		Lease lease = read(ELECTION);
		assertThatIllegalArgumentException().isThrownBy(() -> store().take(lease, claim, TTL, TIMEOUT))
			.withMessageContaining("greater term");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> store().take(lease, new LeaseClaim("other", "a", 4), TTL, TIMEOUT))
			.withMessageContaining("same election");
		assertThat(read(ELECTION)).isEqualTo(lease);
	}

	@Test
	void onlyOneOfManyRacersTakesTheLease() throws Exception {
		store().create(ELECTION, 0, TTL, TIMEOUT);
		for (long term = 1; term <= 5; term++) {
			Lease expected = read(ELECTION);
			long next = term;
			List<Optional<Lease>> outcomes = race((racer) -> () -> store().take(expected,
					new LeaseClaim(ELECTION, "racer-" + racer, next), TTL, TIMEOUT));
			List<Lease> taken = outcomes.stream().flatMap(Optional::stream).toList();
			assertThat(taken).hasSize(1);
			assertThat(read(ELECTION)).isEqualTo(taken.get(0));
		}
	}

	@Test
	void renewalRaisesTheRevisionAndNothingElse() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		Lease before = read(ELECTION);
		LeaseRenewal renewal = store().renew(List.of(claim), TIMEOUT);
		assertThat(renewal.renewed()).containsExactly(claim);
		assertThat(renewal.refused()).isEmpty();
		Lease after = read(ELECTION);
		assertThat(after.revision()).isEqualTo(before.revision() + 1);
		assertThat(after.term()).isEqualTo(before.term());
		assertThat(after.holder()).isEqualTo(before.holder());
		assertThat(after.ttl()).isEqualTo(before.ttl());
		assertThat(after.electedAt()).isEqualTo(before.electedAt());
	}

	@Test
	void nothingToRenewIsNothingRenewed() {
		LeaseRenewal renewal = store().renew(List.of(), TIMEOUT);
		assertThat(renewal.renewed()).isEmpty();
		assertThat(renewal.refused()).isEmpty();
	}

	@Test
	void renewFailsWhenTheTermHasMoved() {
		LeaseClaim former = elect(ELECTION, "a", 1);
		elect(ELECTION, "a", 2);
		assertRefused(former);
	}

	@Test
	void renewFailsWhenAnotherHoldsTheLease() {
		LeaseClaim former = elect(ELECTION, "a", 1);
		elect(ELECTION, "b", 2);
		assertRefused(former);
		assertRefused(new LeaseClaim(ELECTION, "a", 2));
	}

	@Test
	void renewFailsWhenTheLeaseHasBeenReleased() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		store().release(claim, TIMEOUT);
		assertRefused(claim);
	}

	@Test
	void renewFailsWhenTheLeaseHasVanished() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		vanish(ELECTION);
		assertThat(store().renew(List.of(claim), TIMEOUT).refused()).containsExactly(claim);
		assertThat(store().read(List.of(ELECTION), TIMEOUT).leases()).isEmpty();
	}

	@Test
	void refusedRenewalDoesNotKeepOthersFromBeingRenewed() {
		LeaseClaim first = elect("first", "a", 1);
		LeaseClaim moved = elect("moved", "a", 1);
		elect("moved", "b", 2);
		LeaseClaim vanished = elect("vanished", "a", 1);
		vanish("vanished");
		LeaseClaim last = elect("last", "a", 1);
		LeaseRenewal renewal = store().renew(List.of(first, moved, vanished, last), TIMEOUT);
		assertThat(renewal.renewed()).containsExactlyInAnyOrder(first, last);
		assertThat(renewal.refused()).containsExactlyInAnyOrder(moved, vanished);
		assertThat(read("first").revision()).isEqualTo(2);
		assertThat(read("moved").revision()).isEqualTo(2);
	}

	@Test
	void releasedLeaseIsVacantAndKeepsItsTerm() {
		LeaseClaim claim = elect(ELECTION, "a", 3);
		Lease before = read(ELECTION);
		assertThat(store().release(claim, TIMEOUT)).isTrue();
		Lease after = read(ELECTION);
		assertThat(after.isVacant()).isTrue();
		assertThat(after.term()).isEqualTo(3);
		assertThat(after.revision()).isEqualTo(before.revision() + 1);
	}

	@Test
	void releasedLeaseShowsItsSuccessorUntilItIsTaken() {
		LeaseClaim claim = elect(ELECTION, "a", 3);
		assertThat(read(ELECTION).successor()).isNull();
		assertThat(store().release(List.of(new LeaseRelease(claim, "b")), TIMEOUT)).isOne();
		assertThat(read(ELECTION).successor()).isEqualTo("b");
		LeaseClaim other = elect(ELECTION, "c", 4);
		assertThat(read(ELECTION).successor()).isNull();
		assertThat(store().release(other, TIMEOUT)).isTrue();
		assertThat(read(ELECTION).successor()).isNull();
	}

	@Test
	void releaseByAFormerTermChangesNothing() {
		LeaseClaim former = elect(ELECTION, "a", 1);
		elect(ELECTION, "a", 2);
		assertNotReleased(former);
	}

	@Test
	void releaseByAFormerHolderChangesNothing() {
		LeaseClaim former = elect(ELECTION, "a", 1);
		elect(ELECTION, "b", 2);
		assertNotReleased(former);
		assertNotReleased(new LeaseClaim(ELECTION, "a", 2));
	}

	@Test
	void leaseIsReleasedOnce() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		assertThat(store().release(claim, TIMEOUT)).isTrue();
		assertNotReleased(claim);
	}

	@Test
	void createsSeveralButWhereThereIsOne() {
		LeaseClaim claim = elect("second", "a", 5);
		assertThat(store().create(List.of(vacant("first", 0), vacant("second", 0), vacant("third", 7)), TIMEOUT))
			.containsExactlyInAnyOrder("first", "third");
		assertThat(read("first").term()).isZero();
		assertThat(read("second").isHeldBy(claim.holder())).isTrue();
		assertThat(read("third")).isEqualTo(vacant("third", 7));
		assertThat(store().create(List.of(), TIMEOUT)).isEmpty();
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
		LeaseClaim other = elect("second", "b", 1);
		Map<String, Lease> taken = store().take(takings, TIMEOUT);
		assertThat(taken).doesNotContainKey("second");
		assertThat(read("second").isHeldBy(other.holder())).isTrue();
		// Whoever was not told may take again what is its own.
		for (String election : List.of("first", "third")) {
			Lease own = read(election);
			assertThat(own.isHeldBy("a")).isTrue();
			assertThat(store().take(own, new LeaseClaim(election, "a", 2), TTL, TIMEOUT)).isPresent();
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
		Lease held = read(elect("third", "b", 3).election());
		takings.add(new LeaseTaking(held, new LeaseClaim("third", "a", 3), TTL));
		assertThat(store().take(takings, TIMEOUT)).containsOnlyKeys("first", "second");
		assertThat(read("third")).isEqualTo(held);
	}

	@Test
	void severalTakingsOfWhichNoneIsValidAreRefused() {
		List<LeaseTaking> takings = new ArrayList<>();
		for (String election : List.of("first", "second")) {
			Lease held = read(elect(election, "b", 3).election());
			takings.add(new LeaseTaking(held, new LeaseClaim(election, "a", 3), TTL));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> store().take(takings, TIMEOUT));
	}

	@Test
	void noTermIsGreaterThanTheGreatest() {
		store().create(ELECTION, Lease.MAX_TERM - 1, TTL, TIMEOUT);
		Lease vacant = read(ELECTION);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> store().take(vacant, new LeaseClaim(ELECTION, "a", Lease.MAX_TERM + 1), TTL, TIMEOUT))
			.withMessageContaining(Long.toString(Lease.MAX_TERM));
		assertThat(store().take(vacant, new LeaseClaim(ELECTION, "a", Lease.MAX_TERM), TTL, TIMEOUT)).isPresent();
		assertThat(read(ELECTION).term()).isEqualTo(Lease.MAX_TERM);
	}

	@Test
	void releasesSeveralAtOnceButWhereTheClaimIsOld() {
		LeaseClaim first = elect("first", "a", 1);
		LeaseClaim old = elect("second", "a", 1);
		elect("second", "a", 2);
		LeaseClaim third = elect("third", "a", 1);
		assertThat(store().release(
				List.of(new LeaseRelease(first, null), new LeaseRelease(old, "b"), new LeaseRelease(third, "b")),
				TIMEOUT))
			.isEqualTo(2);
		assertThat(read("first").isVacant()).isTrue();
		assertThat(read("second").isHeldBy("a")).isTrue();
		assertThat(read("third").successor()).isEqualTo("b");
		assertThat(store().release(List.of(), TIMEOUT)).isZero();
	}

	private List<LeaseTaking> takings(String... elections) {
		return Stream.of(elections).map((election) -> {
			store().create(election, 0, TTL, TIMEOUT);
			return new LeaseTaking(read(election), new LeaseClaim(election, "a", 1), TTL);
		}).toList();
	}

	private static Lease vacant(String election, long term) {
		return new Lease(election, null, term, 0, TTL, null, null);
	}

	@Test
	void datesTellWhenTheTermBeganAndTheLeaseChangedLast() {
		store().create(ELECTION, 0, TTL, TIMEOUT);
		assertThat(read(ELECTION).electedAt()).isNull();
		LeaseClaim claim = elect(ELECTION, "a", 1);
		Lease taken = read(ELECTION);
		assertThat(taken.electedAt()).isNotNull();
		// A server may look at its clock for each.
		assertThat(taken.renewedAt()).isCloseTo(taken.electedAt(), within(50, ChronoUnit.MILLIS));
		store().renew(List.of(claim), TIMEOUT);
		store().release(claim, TIMEOUT);
		Lease released = read(ELECTION);
		assertThat(released.electedAt()).isEqualTo(taken.electedAt());
		assertThat(released.renewedAt()).isAfterOrEqualTo(taken.renewedAt());
	}

	@Test
	void readTellsHowOldARenewalIs() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		store().renew(List.of(claim), TIMEOUT);
		LeaseReading reading = store().read(List.of(ELECTION), TIMEOUT);
		Lease renewed = reading.leases().get(ELECTION);
		assertThat(reading.readAt()).isBetween(renewed.renewedAt(), renewed.renewedAt().plus(TIMEOUT));
	}

	@Test
	void watchShowsWhatBecomesOfALease() {
		try (LeaseWatch watch = store().watch()) {
			LeaseClaim claim = elect(ELECTION, "a", 1);
			Lease taken = read(ELECTION);
			awaitChange(watch, (change) -> taken.equals(change.lease()));
			store().renew(List.of(claim), TIMEOUT);
			store().release(claim, TIMEOUT);
			Lease released = read(ELECTION);
			awaitChange(watch, (change) -> released.equals(change.lease()));
		}
	}

	@Test
	void watchShowsForWhomALeaseIsKept() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		try (LeaseWatch watch = store().watch()) {
			store().release(List.of(new LeaseRelease(claim, "b")), TIMEOUT);
			awaitChange(watch, (change) -> change.lease() != null && "b".equals(change.lease().successor()));
		}
	}

	@Test
	void watchShowsThatALeaseHasVanished() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = store().watch()) {
			vanish(ELECTION);
			awaitChange(watch, (change) -> change.lease() == null);
		}
	}

	@Test
	void watchReturnsNothingWhileNothingChanges() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = store().watch()) {
			assertThat(watch.next()).isNull();
		}
	}

	@Test
	void everyWatchShowsAChange() {
		try (LeaseWatch one = store().watch(); LeaseWatch two = store().watch()) {
			store().create(ELECTION, 0, TTL, TIMEOUT);
			Lease created = read(ELECTION);
			awaitChange(one, (change) -> created.equals(change.lease()));
			awaitChange(two, (change) -> created.equals(change.lease()));
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 42, 20260101 })
	void termsRiseAndGrantsAreUniqueWhateverTheOrderOfCalls(long seed) throws Exception {
		fuzz(seed);
	}

	@Test
	void termsRiseAndGrantsAreUniqueInARandomOrderOfCalls() throws Exception {
		fuzz(System.nanoTime());
	}

	private void fuzz(long seed) throws Exception {
		LeaseStoreFuzz fuzz = new LeaseStoreFuzz(store(), seed, TIMEOUT);
		race((racer) -> () -> fuzz.run(racer));
		fuzz.check();
	}

	protected final Lease read(String election) {
		Lease lease = store().read(List.of(election), TIMEOUT).leases().get(election);
		assertThat(lease).as("lease of " + election).isNotNull();
		return lease;
	}

	/** Have the candidate take the lease, which is created if there is none. */
	protected final LeaseClaim elect(String election, String candidate, long term) {
		store().create(election, 0, TTL, TIMEOUT);
		LeaseClaim claim = new LeaseClaim(election, candidate, term);
		assertThat(store().take(read(election), claim, TTL, TIMEOUT)).isPresent();
		return claim;
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

	private void assertRefused(LeaseClaim claim) {
		Lease before = read(claim.election());
		LeaseRenewal renewal = store().renew(List.of(claim), TIMEOUT);
		assertThat(renewal.renewed()).isEmpty();
		assertThat(renewal.refused()).containsExactly(claim);
		assertThat(read(claim.election())).isEqualTo(before);
	}

	private void assertNotReleased(LeaseClaim claim) {
		Lease before = read(claim.election());
		assertThat(store().release(claim, TIMEOUT)).isFalse();
		assertThat(read(claim.election())).isEqualTo(before);
	}

	private static <T> List<T> race(IntFunction<Callable<T>> racers) throws Exception {
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
