package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What could not be done when it followed from a step is done later, and a lease is not
 * kept for a term that is not there.
 */
class PendingEffectsTests {

	private final ManualClock clock = new ManualClock();

	private final LeaseStore leases = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private int failures;

	private boolean timeless;

	private final MemberNode node = new MemberNode("me", this.store, this.clock,
			(election) -> ElectionSettings.of(MemberNode.TTL), Forgetful::new);

	@Test
	void leaseOfATermThatCannotBeginIsGivenBack() {
		this.failures = Integer.MAX_VALUE;
		this.node.elections().register(this.candidate);
		this.node.run();
		assertThat(holder()).isEqualTo("me");
		live(8_900);
		assertThat(this.store.takeCalls()).doesNotContain("release jobs");
		assertThat(this.node.leads("jobs")).isFalse();
		live(60_000);
		assertThat(this.store.takeCalls()).as("so that others can lead").contains("release jobs");
		assertThat(this.candidate.events()).isEmpty();
		assertThat(this.node.heard()).noneMatch((heard) -> heard.startsWith("elected"));
		this.failures = 0;
		live(20_000);
		assertThat(this.candidate.events()).hasSize(1);
		assertThat(this.node.leads("jobs")).isTrue();
	}

	@Test
	void endThatCouldNotBeToldIsToldLater() {
		this.node.elections().join("jobs");
		this.node.run();
		List<LossReason> told = new ArrayList<>();
		this.node.term("jobs").onLost(told::add);
		this.node.whenAskedForThread(() -> {
			throw new OutOfMemoryError("made on purpose");
		});
		this.node.elections().resign("jobs");
		this.node.run();
		assertThat(told).isEmpty();
		this.node.whenAskedForThread(() -> {
		});
		live(1_000);
		assertThat(told).containsExactly(LossReason.RESIGNED);
		assertThat(holder()).isNull();
	}

	@Test
	void lastCandidateThatCouldNotLeaveAProcessAboutToCloseLeavesLater() {
		leadAndPrepareClose();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.node.elections().unregister(this.candidate));
		this.timeless = false;
		this.node.run();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(this.node.heard()).contains("elected jobs 1", "defeated jobs 1");
		assertThat(holder()).isNull();
		assertThat(this.node.elections().names()).isEmpty();
	}

	@Test
	void candidateThatCouldNotReturnAtOnceStillStandsDown() {
		this.node.elections().register(this.candidate);
		this.node.run();
		this.node.elections().resign("jobs");
		this.node.elections().unregister(this.candidate);
		this.node.run();
		assertThat(this.node.elections().names()).isEmpty();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> this.node.elections().register(this.candidate));
		this.timeless = false;
		assertThat(this.node.elections().names()).isEmpty();
		this.node.elections().register(this.candidate);
		this.node.run();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		live(60_000);
		assertThat(this.candidate.events()).endsWith("elected 2");
	}

	@Test
	void listenersHearOfTheDefeatAfterTheElectionWasLeftIfThereWasNoThreadBefore() {
		this.node.elections().register(this.candidate);
		this.node.run();
		AtomicInteger threads = new AtomicInteger(1);
		this.node.whenAskedForThread(() -> {
			if (threads.getAndDecrement() <= 0) {
				throw new RejectedExecutionException("no thread, as the test wants");
			}
		});
		this.node.elections().unregister(this.candidate);
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(holder()).isNull();
		assertThat(this.node.heard()).doesNotContain("defeated jobs 1");
		threads.set(1);
		live(1_000);
		assertThat(this.node.heard()).endsWith("defeated jobs 1", "leader of jobs: me -> null");
		assertThat(this.node.elections().names()).isEmpty();
	}

	@Test
	void handoverIsLoggedOnceThoughTheLogResigns() {
		AtomicInteger lines = new AtomicInteger();
		this.node.elections().register(this.candidate);
		this.node.run();
		try (ThrowingAppender unused = ThrowingAppender.install((event) -> {
			if (event.getMessage().startsWith("Handing over")) {
				lines.incrementAndGet();
				this.node.elections().resign("jobs");
			}
			return false;
		})) {
			this.node.elections().resign("jobs");
			this.node.run();
		}
		assertThat(lines).hasValue(1);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		assertThat(holder()).isNull();
	}

	private void leadAndPrepareClose() {
		this.node.elections().register(this.candidate);
		this.node.run();
		this.node.elections().prepareClose();
		this.node.run();
		assertThat(this.node.leads("jobs")).isTrue();
	}

	private String holder() {
		return this.leases.read(List.of("jobs"), MemberNode.TTL).leases().get("jobs").holder();
	}

	private void live(long millis) {
		for (long passed = 0; passed < millis; passed += 100) {
			this.clock.advance(100);
			this.node.run();
		}
	}

	/** There may be no memory for a term, or for anything that follows from a state. */
	private final class Forgetful extends ElectionMember {

		Forgetful(EngineContext context, String election, ElectionSettings settings, ElectionProtocol protocol,
				OwnSession session, PastElections.Past past, Moment now) {
			super(context, election, settings, protocol, session, past, now);
		}

		@Override
		Term begin(TermState own, Deadline deadline) {
			if (PendingEffectsTests.this.failures > 0) {
				PendingEffectsTests.this.failures--;
				throw new InternalError("no memory for a term, as the test wants");
			}
			return super.begin(own, deadline);
		}

		@Override
		void apply(ElectionState next, Moment now) {
			if (PendingEffectsTests.this.timeless) {
				throw new InternalError("no memory for a state, as the test wants");
			}
			super.apply(next, now);
		}

	}

}
