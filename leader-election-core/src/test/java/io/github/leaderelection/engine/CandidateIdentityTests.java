package io.github.leaderelection.engine;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.store.CandidateRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CandidateIdentity}.
 */
class CandidateIdentityTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@Test
	void idContainsApplicationHostAndProcess() {
		CandidateRecord identity = CandidateIdentity.create("shop", "web-1", "1.4.2", "http://web-1:8080");
		assertThat(identity.id()).matches("shop@web-1:%d-[0-9a-f]{12}".formatted(ProcessHandle.current().pid()));
		assertThat(identity.application()).isEqualTo("shop");
		assertThat(identity.host()).isEqualTo("web-1");
		assertThat(identity.version()).isEqualTo("1.4.2");
		assertThat(identity.address()).isEqualTo("http://web-1:8080");
		assertThat(identity.elections()).isEmpty();
	}

	@Test
	void idsAreUnique() {
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < 100; i++) {
			ids.add(CandidateIdentity.create("shop", "web-1", null, null).id());
		}
		assertThat(ids).hasSize(100);
	}

	@Test
	void unknownNamesAreReplacedByDefaults() {
		CandidateRecord identity = CandidateIdentity.create(null, " ", " ", null);
		assertThat(identity.id()).startsWith("application@unknown:");
		assertThat(identity.version()).isNull();
		assertThat(identity.address()).isNull();
	}

	@Test
	void truncationKeepsSurrogatePairsWhole() {
		String name = "x".repeat(63) + "\ud83d\ude00";
		assertThat(CandidateIdentity.create(name, "host", null, null).application()).isEqualTo("x".repeat(63));
	}

	@Test
	void idStaysShortAndOnOneLine() {
		CandidateRecord identity = CandidateIdentity.create("my\nshop @ home" + "x".repeat(300), "h".repeat(300), null,
				null);
		assertThat(identity.id()).startsWith("my-shop-homexxx").hasSizeLessThan(200);
		assertThat(identity.id().chars().filter((c) -> c == '@')).hasSize(1);
	}

	@Test
	void hostNameFallsBackWhenTheLookupFails() {
		assertThat(CandidateIdentity.create("shop", null, null).host()).isNotBlank();
		assertThat(CandidateIdentity.hostName(() -> "web-1", "other", LONG)).isEqualTo("web-1");
		assertThat(CandidateIdentity.hostName(() -> {
			throw new UnknownHostException("web-1");
		}, "other", LONG)).isEqualTo("other");
	}

	@Test
	@Timeout(30)
	void hangingLookupTimesOut() {
		assertThat(CandidateIdentity.hostName(() -> {
			new CountDownLatch(1).await();
			return "web-1";
		}, null, Duration.ofMillis(10))).isNull();
	}

}
