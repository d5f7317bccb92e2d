package io.github.leaderelection.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ContestedLeaseStore}.
 */
class ContestedLeaseStoreTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final ContestedLeaseStore store = new ContestedLeaseStore();

	@Test
	void rivalTakesAReleasedLeaseThatWasGrantedTwice() {
		Session own = Session.first("own", 1, Duration.ofSeconds(20));
		this.store.create(own, TIMEOUT);
		Lease seized = read();
		this.store.leave("x");
		Lease led = read().taken(own, seized.term() + 1);
		assertThat(this.store.take(List.of(led), TIMEOUT)).containsKey("x");
		this.store.leave("x");
		this.store.taken("x");
		this.store.release(List.of(read().released(null)), TIMEOUT);
		assertThat(read().isVacant()).isFalse();
	}

	private Lease read() {
		return this.store.read(Set.of("x"), List.of(), TIMEOUT).leases().get("x");
	}

}
