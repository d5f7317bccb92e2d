package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PrefixedRunStore}.
 */
class PrefixedRunStoreTests extends RunStoreContractTests {

	private static final JobKey OUTSIDE = new JobKey("shop." + JOB.election(), JOB.job());

	private final InMemoryRunStore shared = new InMemoryRunStore();

	private final RunStore store = PrefixedRunStore.of("shop.", this.shared);

	@Override
	protected RunStore store() {
		return this.store;
	}

	@Test
	void withoutPrefixThereIsNothingToAdd() {
		assertThat(PrefixedRunStore.of("", this.shared)).isSameAs(this.shared);
	}

	@Test
	void recordsAreKeptUnderThePrefixedName() {
		open(1);
		start(first("one", 1), null);
		RunReading outside = this.shared.find(List.of(OUTSIDE, JOB), TIMEOUT);
		assertThat(outside.records()).containsOnlyKeys(OUTSIDE);
		assertThat(outside.records().get(OUTSIDE).last().election()).isEqualTo("shop.billing");
	}

	@Test
	void otherPrefixIsAnotherElection() {
		RunStore other = PrefixedRunStore.of("bank.", this.shared);
		open(3);
		assertThat(other.find(List.of(JOB), TIMEOUT).records()).isEmpty();
		assertThat(other.cover(new RunCover(JOB, 3, AS_OF, SECOND, 0, 1), TIMEOUT)).isFalse();
		other.open(List.of(new RunOpening(JOB, 1, TIMETABLE, AS_OF)), TIMEOUT);
		assertThat(find().fence()).isEqualTo(3);
	}

	@Test
	void damageIsToldUnderTheNameWithoutThePrefix() {
		RunStore damaged = PrefixedRunStore.of("shop.", new CarelessRunStore(this.shared, null) {

			@Override
			public RunReading find(Collection<JobKey> keys, Duration timeout) {
				return new RunReading(Map.of(), Map.of(OUTSIDE, "edited"));
			}

		});
		assertThat(damaged.find(List.of(JOB), TIMEOUT).damaged()).containsExactly(Map.entry(JOB, "edited"));
	}

}
