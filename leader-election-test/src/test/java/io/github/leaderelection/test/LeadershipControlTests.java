package io.github.leaderelection.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeadershipControl}.
 */
@ControlledTest
@AutoConfigureLeadershipControl
class LeadershipControlTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Autowired
	private LeadershipControl control;

	@Autowired
	private LeaderElection elections;

	@Autowired
	private Job job;

	@Autowired
	private RecordingCandidate candidate;

	@Test
	void mongoIsNotUsed(@Autowired ObjectProvider<RecordStores> store) {
		assertThat(store.getIfAvailable()).isInstanceOf(InMemoryRecordStores.class);
	}

	/** Time passes, but elections that are led keep their terms. */
	@ParameterizedTest
	@EnumSource(names = { "TAKEN_OVER", "EXPIRED", "RESIGNED" })
	void termEndsAndTheNextGrantBeginsANewOne(LossReason reason) {
		this.control.grant("y");
		long other = term("y");
		this.control.advanceTime(Duration.ofSeconds(3));
		// It has the same TTL as x.
		this.control.grant("shop");
		long another = term("shop");
		this.control.grant("x");
		Leadership leadership = this.elections.leadership("x").orElseThrow();
		this.control.grant("x");
		assertThat(term("x")).isEqualTo(leadership.term());
		awaitElected();
		switch (reason) {
			case TAKEN_OVER -> this.control.revoke("x");
			case EXPIRED -> this.control.expire("x");
			default -> this.control.resign("x");
		}
		assertThat(leadership.lossReason()).contains(reason);
		assertThat(this.elections.isLeader("x")).isFalse();
		assertThat(term("y")).isEqualTo(other);
		assertThat(term("shop")).isEqualTo(another);
		this.control.grant("x");
		assertThat(term("x")).isGreaterThan(leadership.term());
		await().atMost(LONG)
			.untilAsserted(() -> assertThat(this.candidate.calls).endsWith("elected", "defeated " + reason, "elected"));
		this.control.revoke("x");
		assertThat(this.elections.leader("x")).contains(ContestedLeaseStore.RIVAL);
	}

	@Test
	void expiredInstanceStaysAFollowerUntilItIsGranted() {
		this.control.grant("x");
		this.control.expire("x");
		this.control.advanceTime(Duration.ofHours(1));
		assertThat(this.elections.isLeader("x")).isFalse();
		this.control.grant("x");
		assertThat(this.elections.isLeader("x")).isTrue();
		this.control.advanceTime(Duration.ofHours(1));
		assertThat(this.elections.isLeader("x")).isTrue();
	}

	@Test
	void callInFlightIsInterruptedAndTheNextIsSkipped() {
		for (Runnable loss : List.<Runnable>of(() -> this.control.revoke("x"), () -> this.control.expire("x"))) {
			this.control.grant("x");
			List<Boolean> seen = new ArrayList<>();
			this.job.runX(() -> {
				loss.run();
				seen.add(Thread.currentThread().isInterrupted());
				seen.add(this.elections.currentLeadership().isHeld());
			});
			assertThat(seen).containsExactly(true, false);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			this.job.runX(() -> seen.add(true));
			assertThat(seen).hasSize(2);
		}
	}

	@Test
	void timeStandsStill() {
		this.control.grant("x");
		Leadership leadership = this.elections.leadership("x").orElseThrow();
		// A renewal and a read of the lease are due meanwhile.
		this.control.advanceTime(Duration.ofSeconds(10));
		await().atMost(LONG).until(leadership::remaining, Duration.ofSeconds(18)::equals);
		this.control.advanceTime(Duration.ofSeconds(4));
		assertThat(leadership.remaining()).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void resignationOfTheApplicationLetsAnotherInstanceLead() {
		this.control.grant("x");
		this.elections.resign("x");
		await().atMost(LONG)
			.until(() -> this.elections.leader("x").filter(ContestedLeaseStore.RIVAL::equals).isPresent());
		this.control.advanceTime(Duration.ofDays(1));
		assertThat(this.elections.isLeader("x")).isFalse();
	}

	@Test
	void drainEndsWhenTimePasses() {
		this.control.grant("x");
		Leadership leadership = this.elections.leadership("x").orElseThrow();
		List<Boolean> held = new ArrayList<>();
		this.job.runX(() -> {
			this.elections.resign("x");
			this.control.advanceTime(Duration.ofSeconds(24));
			held.add(leadership.isHeld());
			this.control.advanceTime(Duration.ofSeconds(1));
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Thread.sleep(LONG.toMillis()));
			held.add(leadership.isHeld());
		});
		assertThat(held).containsExactly(true, false);
	}

	@Test
	void impossibleChangesAreRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.control.revoke("x"))
			.withMessage("This instance does not lead election 'x', so it has no leadership to lose");
		assertThatIllegalStateException().isThrownBy(() -> this.control.expire("x"));
		assertThatIllegalStateException().isThrownBy(() -> this.control.resign("x"));
		assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> this.control.grant("z"))
			.withMessageContaining("does not stand in election 'z'");
		assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> this.control.revoke("z"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.advanceTime(Duration.ofSeconds(-1)))
			.withMessage("Time can't go back, not even by 1 s");
	}

	/**
	 * A candidate that is not notified of a term in time is never notified of it. It was
	 * notified of the end of the term before: otherwise nobody could have been elected.
	 */
	private void awaitElected() {
		await().atMost(LONG).untilAsserted(() -> assertThat(this.candidate.calls).endsWith("elected"));
	}

	private long term(String election) {
		return this.elections.leadership(election).orElseThrow().term();
	}

}
