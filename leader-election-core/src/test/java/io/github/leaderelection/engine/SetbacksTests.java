package io.github.leaderelection.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Setbacks}.
 */
class SetbacksTests {

	/** Its poll interval is a second. */
	private static final ElectionSettings SETTINGS = ElectionSettings.of(Duration.ofSeconds(10));

	private static final Duration MOST = Duration.ofSeconds(2);

	private final ManualClock clock = new ManualClock();

	private final Setbacks setbacks = new Setbacks(SETTINGS);

	@Test
	void whatHasNotFailedIsTriedTogetherAtOnce() {
		assertThat(this.setbacks.together()).isEqualTo(Integer.MAX_VALUE);
		assertThat(this.setbacks.limit(MOST)).isEqualTo(MOST);
		assertThat(this.setbacks.isToWait(this.clock.now())).isFalse();
	}

	@Test
	void whatHasFailedTogetherIsTriedApart() {
		this.setbacks.failed(this.clock.now());
		assertThat(this.setbacks.together()).isEqualTo(32);
		this.setbacks.failed(this.clock.now());
		assertThat(this.setbacks.together()).isOne();
	}

	@Test
	void pausesGrowUpToALimit() {
		for (int seconds : new int[] { 1, 2, 4, 8, 8 }) {
			this.setbacks.failed(this.clock.now());
			assertThat(this.setbacks.notBefore() - this.clock.now().nanos())
				.isEqualTo(Duration.ofSeconds(seconds).toNanos());
			assertThat(this.setbacks.isToWait(this.clock.now())).isTrue();
			this.clock.advance(seconds * 1000L);
			assertThat(this.setbacks.isToWait(this.clock.now())).isFalse();
		}
	}

	@Test
	void triesAreBriefUntilTheStoreMayBeSlow() {
		for (int i = 0; i < 3; i++) {
			this.setbacks.failed(this.clock.now());
			assertThat(this.setbacks.limit(MOST)).isEqualTo(Duration.ofMillis(500));
		}
		this.setbacks.failed(this.clock.now());
		assertThat(this.setbacks.limit(MOST)).isEqualTo(MOST);
		assertThat(this.setbacks.limit(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
	}

	@Test
	void answerPutsAnEndToIt() {
		this.setbacks.failed(this.clock.now());
		this.setbacks.failed(this.clock.now());
		this.setbacks.forget();
		assertThat(this.setbacks.number()).isZero();
		assertThat(this.setbacks.isToWait(this.clock.now())).isFalse();
		assertThat(this.setbacks.together()).isEqualTo(Integer.MAX_VALUE);
	}

}
