package io.github.leaderelection.engine;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HostName}.
 */
class HostNameTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@Test
	void lookupComesFirst() {
		assertThat(HostName.find(() -> "web-1", "other", LONG)).isEqualTo("web-1");
	}

	@Test
	void failedLookupFallsBack() {
		assertThat(HostName.find(() -> {
			throw new UnknownHostException("web-1");
		}, "other", LONG)).isEqualTo("other");
	}

	@Test
	@Timeout(30)
	void hangingLookupIsNotWaitedFor() {
		CountDownLatch never = new CountDownLatch(1);
		assertThat(HostName.find(() -> {
			never.await();
			return "web-1";
		}, null, Duration.ofMillis(10))).isEqualTo("unknown");
	}

	@Test
	void hostHasAName() {
		assertThat(HostName.find()).isNotBlank();
	}

}
