package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contract of a {@link LeaseStore} for locks. Each test begins with an empty store.
 */
public abstract class LockStoreContractTests extends LeaseStoreContractTests {

	private static final Duration LITTLE = Duration.ofMillis(1);

	private static final int MANY = 1000;

	/** Let some time pass by the clock of the store, if it does not by itself. */
	protected abstract void pass();

	@Test
	void unusedLeaseIsRemoved() {
		Lease held = elect(ELECTION, "a", 1);
		assertThat(release(held)).isTrue();
		try (LeaseWatch watch = store().watch()) {
			awaitRemoved(1);
			awaitChange(watch, (change) -> ELECTION.equals(change.removed()));
		}
		assertThat(isThere(ELECTION)).isFalse();
		assertThat(removeUnused(LITTLE, MANY)).isZero();
	}

	@Test
	void leaseThatIsHeldStays() {
		Lease held = elect(ELECTION, "a", 1);
		assertThat(release(elect("other", "a", 1))).isTrue();
		awaitRemoved(1);
		assertThat(read(ELECTION)).isEqualTo(held);
	}

	/** For others it counts from the release, however long it was held before. */
	@Test
	void leaseThatWasReleasedNotLongAgoStays() {
		Lease held = elect(ELECTION, "a", 1);
		pass();
		assertThat(release(held)).isTrue();
		assertThat(removeUnused(Duration.ofDays(1), MANY)).isZero();
		assertThat(isThere(ELECTION)).isTrue();
	}

	@Test
	void noMoreAreRemovedThanAskedFor() {
		for (int i = 0; i < 7; i++) {
			assertThat(release(elect("lock-" + i, "a", 1))).isTrue();
		}
		pass();
		await().until(() -> removeUnused(LITTLE, 3), (removed) -> removed == 3);
		awaitRemoved(4);
	}

	@Test
	void leaseBeginsAboveEveryTermThatWasGranted() {
		Lease former = elect(ELECTION, "a", 7);
		assertThat(release(former)).isTrue();
		awaitRemoved(1);
		assertThat(create(ELECTION, 0)).isTrue();
		Lease recreated = read(ELECTION);
		assertThat(recreated.isVacant()).isTrue();
		assertThat(recreated.electedAt()).isNull();
		assertThat(recreated.ttl()).isEqualTo(TTL);
		Lease taken = take(recreated, "b", recreated.term() + 1).orElseThrow();
		assertThat(taken.term()).isGreaterThan(former.term());
		assertThat(read(ELECTION)).isEqualTo(taken);
	}

	@Test
	void leaseBeginsAboveWhatItsCreatorKnows() {
		assertThat(release(elect("other", "a", 7))).isTrue();
		awaitRemoved(1);
		create(ELECTION, 41);
		assertThat(take(read(ELECTION), "a", 42).orElseThrow().term()).isEqualTo(42);
	}

	@Test
	void floorIsNoLeaseAndIsNeverRemoved() {
		assertThat(release(elect(ELECTION, "a", 7))).isTrue();
		try (LeaseWatch watch = store().watch()) {
			awaitRemoved(1);
			awaitChange(watch, (change) -> ELECTION.equals(change.removed()));
		}
		pass();
		assertThat(removeUnused(LITTLE, MANY)).isZero();
		create(ELECTION, 0);
		assertThat(take(read(ELECTION), "a", 1).orElseThrow().term()).isEqualTo(8);
	}

	@Test
	void whatIsMeantForALeaseThatWasRemovedDoesNotConcernTheNext() {
		create(ELECTION, 5);
		Lease vacant = read(ELECTION);
		awaitRemoved(1);
		create(ELECTION, 5);
		Lease next = read(ELECTION);
		assertThat(take(vacant, "a", 6)).isEmpty();
		assertThat(release(vacant)).isFalse();
		assertThat(read(ELECTION)).isEqualTo(next);
		assertThat(take(next, "b", next.term() + 1)).isPresent();
	}

	@Test
	void termsRiseHoweverLeasesAreCreatedTakenReleasedAndRemoved() throws Exception {
		fuzzLocks(20260101);
	}

	@Test
	void termsRiseInARandomOrderOfCreationsAndRemovals() throws Exception {
		fuzzLocks(System.nanoTime());
	}

	private void fuzzLocks(long seed) throws Exception {
		LockStoreFuzz fuzz = new LockStoreFuzz(store(), seed, TIMEOUT, this::pass);
		Race.run((racer) -> () -> fuzz.run(racer));
		fuzz.check();
	}

	/** Have this number of leases removed. */
	protected final void awaitRemoved(int number) {
		pass();
		int[] removed = new int[1];
		await().untilAsserted(() -> {
			removed[0] += removeUnused(LITTLE, MANY);
			assertThat(removed[0]).isEqualTo(number);
		});
	}

	protected final int removeUnused(Duration unusedFor, int most) {
		return store().removeUnused(unusedFor, most, TIMEOUT);
	}

	protected final boolean isThere(String election) {
		return Optional.ofNullable(store().read(List.of(election), TIMEOUT).leases().get(election)).isPresent();
	}

}
