package io.github.leaderelection.engine;

import io.github.leaderelection.engine.PastElections.Past;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PastElections}.
 */
class PastElectionsTests {

	private final PastElections past = new PastElections();

	private final Moment now = new ManualClock().now();

	@Test
	void whatIsRecalledIsRememberedUntilItIsForgotten() {
		this.past.remember(state("x", 7, this.now.nanos() + 5), true, this.now);
		assertThat(this.past.recall("x")).isEqualTo(new Past(true, this.now.nanos() + 5, 7));
		assertThat(this.past.recall("x")).isNotNull();
		this.past.forget("x");
		assertThat(this.past.recall("x")).isNull();
		assertThat(this.past.recall("y")).isNull();
	}

	@Test
	void whatCanNotMatterAnyMoreIsNotRemembered() {
		this.past.remember(state("x", 0, this.now.nanos()), false, this.now);
		assertThat(this.past.size()).isZero();
		this.past.remember(state("x", 0, this.now.nanos() + 1), false, this.now);
		assertThat(this.past.size()).isOne();
	}

	@Test
	void thoseLeftLongAgoAreForgottenExceptWhereItStandsAside() {
		this.past.remember(state("aside", 1, this.now.nanos()), true, this.now);
		for (int i = 0; i < 3 * PastElections.LIMIT; i++) {
			this.past.remember(state("tenant-" + i, 1, this.now.nanos()), false, this.now);
		}
		assertThat(this.past.size()).isEqualTo(PastElections.LIMIT);
		assertThat(this.past.recall("aside")).isNotNull();
		assertThat(this.past.recall("tenant-0")).isNull();
		assertThat(this.past.recall("tenant-" + (3 * PastElections.LIMIT - 1))).isNotNull();
	}

	private static ElectionState state(String election, long highestTerm, long notBefore) {
		return new ElectionState(election, false, null, null, null, highestTerm, 0, notBefore);
	}

}
