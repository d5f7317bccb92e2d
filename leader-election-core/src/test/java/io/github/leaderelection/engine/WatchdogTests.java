package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Watchdog}.
 */
@ExtendWith(LogCapture.class)
class WatchdogTests {

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private final ManualClock clock = new ManualClock();

	private final Watchdog watchdog = new Watchdog();

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void answerAfterAPauseOfTheProcessIsAwaited(CapturedLog log) {
		guarded(() -> {
			checkAfter(Duration.ofMinutes(10));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
		guarded(() -> checkAfter(Duration.ofMinutes(10)));
		assertThat(log.toString()).isEmpty();
	}

	@Test
	void callThatDoesNotReturnIsInterruptedAgainAndAgain(CapturedLog log) {
		guarded(() -> {
			checkAfter(LIMIT);
			for (int i = 0; i < 2; i++) {
				checkAfter(LIMIT);
				assertThat(Thread.interrupted()).isTrue();
			}
			checkAfter(LIMIT.minusMillis(1));
			assertThat(Thread.interrupted()).isFalse();
		});
		assertThat(log.toString().lines()).hasSize(2).allMatch((line) -> line.contains("has not returned long"));
	}

	private void guarded(Runnable call) {
		this.watchdog.guard(LIMIT, this.clock.now(), () -> {
			call.run();
			return null;
		});
	}

	private void checkAfter(Duration time) {
		this.clock.advance(time.toMillis());
		Moment now = this.clock.now();
		this.watchdog.check(now);
	}

}
