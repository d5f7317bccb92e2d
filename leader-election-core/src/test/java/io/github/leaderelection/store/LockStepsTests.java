package io.github.leaderelection.store;

import java.util.Objects;
import java.util.stream.LongStream;

import io.github.leaderelection.store.LockSteps.Flaw;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The terms of locks rise in whatever order the steps of their store come, and no rule of
 * it can be left out.
 */
class LockStepsTests {

	private static final long SEEDS = 5_000;

	@Test
	void termsRiseInWhateverOrderStepsCome() {
		long removals = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			LockSteps steps = new LockSteps(seed, Flaw.NONE);
			assertThat(steps.run()).as("seed=%d", seed).isNull();
			removals += steps.removals();
		}
		assertThat(removals).isGreaterThan(SEEDS);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "NONE")
	void brokenRuleIsFound(Flaw flaw) {
		assertThat(LongStream.range(0, SEEDS)
			.mapToObj((seed) -> new LockSteps(seed, flaw).run())
			.filter(Objects::nonNull)
			.findFirst()).isPresent();
	}

}
