package io.github.leaderelection.engine;

import java.util.stream.IntStream;

import io.github.leaderelection.engine.PastElections.Past;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PastElections}.
 */
class PastElectionsTests {

	private final PastElections past = new PastElections();

	private final Moment now = new ManualClock().now();

	@Test
	void electionIsRememberedUntilForgotten() {
		this.past.remember(state("x", 7, this.now.nanos() + 5), true, this.now);
		assertThat(this.past.recall("x")).isEqualTo(new Past(true, this.now.nanos() + 5, 7));
		assertThat(this.past.recall("x")).isNotNull();
		this.past.forget("x");
		assertThat(this.past.recall("x")).isNull();
		assertThat(this.past.recall("y")).isNull();
	}

	@Test
	void irrelevantElectionIsNotRemembered() {
		this.past.remember(state("x", 0, this.now.nanos()), false, this.now);
		assertThat(this.past.recall("x")).isNull();
		this.past.remember(state("x", 0, this.now.nanos() + 1), false, this.now);
		assertThat(this.past.recall("x")).isNotNull();
	}

	@Test
	void oldestElectionsAreForgottenExceptPausedOnes() {
		this.past.remember(state("aside", 1, this.now.nanos()), true, this.now);
		for (int i = 0; i < 3 * PastElections.LIMIT; i++) {
			this.past.remember(state("tenant-" + i, 1, this.now.nanos()), false, this.now);
		}
		assertThat(this.past.recall("aside")).isNotNull();
		int last = 3 * PastElections.LIMIT - 1;
		assertThat(IntStream.rangeClosed(0, last).filter((i) -> this.past.recall("tenant-" + i) != null).toArray())
			.hasSize(PastElections.LIMIT - 1)
			.contains(last);
	}

	private static ElectionState state(String election, long highestTerm, long notBefore) {
		return new ElectionState(election, Wish.LEAVE, null, null, null, highestTerm, 0, notBefore, new Backoff(0, 0));
	}

}
