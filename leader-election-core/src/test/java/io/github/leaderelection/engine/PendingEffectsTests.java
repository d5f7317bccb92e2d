package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordLeaseStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What could not be done when it followed from a step is done later, and a lease is not
 * kept for a term that is not there.
 */
class PendingEffectsTests {

	private final ManualClock clock = new ManualClock();

	private final RecordLeaseStore leases = RecordLeaseStore.forElections(new InMemoryRecordStores(), "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private int failures;

	private boolean timeless;

	/** Whether listeners can't be told. */
	private boolean speechless;

	/** Whether candidates can't be told that they are defeated. */
	private boolean wordless;

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
	void termBeginsAsSoonAsItCan() {
		this.failures = 8;
		this.node.elections().register(this.candidate);
		this.node.run();
		Moment now = this.clock.now();
		assertThat(this.node.elections().tickAt(now) - now.nanos()).isLessThanOrEqualTo(100_000_000);
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1");
		assertThat(this.node.heard()).startsWith("leader of jobs: null -> me", "elected jobs 1");
		live(20_000);
		assertThat(this.candidate.events()).containsExactly("elected 1");
	}

	@Test
	void termThatHasNotBegunIsGivenUpAtOnceByWhoResigns() {
		this.failures = Integer.MAX_VALUE;
		this.node.elections().register(this.candidate);
		this.node.run();
		this.node.elections().resign("jobs");
		this.node.run();
		assertThat(holder()).isNull();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void whoCouldNotCloseAtOnceClosesLater() {
		this.node.elections().register(this.candidate);
		this.node.elections().join("others");
		this.node.run();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class).isThrownBy(this.node.elections()::close);
		this.timeless = false;
		this.node.run();
		assertThat(this.node.elections().areOver()).isTrue();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(holder()).isNull();
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

	// Withdrawn while the context begins to close

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
	void processAboutToCloseThatCouldNotStandAsideStandsAsideLater() {
		leadAndPrepareClose();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.node.elections().pauseMember("jobs", true));
		this.timeless = false;
		this.node.run();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		assertThat(holder()).isNull();
	}

	@Test
	void processAboutToCloseResigns() {
		leadAndPrepareClose();
		assertThat(this.node.elections().resign("jobs")).isTrue();
		live(60_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		assertThat(holder()).isNull();
	}

	@Test
	void candidateThatReturnsBeforeItCouldLeaveIsToldOfBoth() {
		this.node.elections().register(this.candidate);
		this.node.run();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.node.elections().unregister(this.candidate));
		this.timeless = false;
		this.node.elections().register(this.candidate);
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1", "elected 1");
		this.node.elections().close();
		this.node.run();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1", "elected 1",
				"defeated 1 SHUTDOWN");
		assertThat(holder()).isNull();
	}

	@Test
	void candidateThatReturnsBeforeItCouldLeaveIsNotToldOfBothAtOnce() {
		RecordingCandidate returning = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				if (events().size() == 1) {
					PendingEffectsTests.this.timeless = true;
					assertThatExceptionOfType(InternalError.class)
						.isThrownBy(() -> PendingEffectsTests.this.node.elections().unregister(this));
					PendingEffectsTests.this.timeless = false;
					PendingEffectsTests.this.node.elections().register(this);
					PendingEffectsTests.this.node.pump();
				}
			}

		};
		this.node.elections().register(returning);
		live(1_000);
		assertThat(returning.events()).containsExactly("elected 1", "defeated 1", "elected 1");
	}

	@Test
	void candidateThatCouldNotLeaveIsToldThoughAnotherHasCome() {
		RecordingCandidate another = new RecordingCandidate("jobs");
		this.node.elections().register(this.candidate);
		this.node.run();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> this.node.elections().unregister(this.candidate));
		this.timeless = false;
		this.node.elections().register(another);
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1");
		assertThat(another.events()).containsExactly("elected 1");
		assertThat(this.node.leads("jobs")).isTrue();
	}

	@Test
	void candidateThatReturnsIsNotElectedBeforeItCanBeToldThatItHasLeft() {
		this.node.elections().join("jobs");
		this.node.elections().register(this.candidate);
		this.node.run();
		this.wordless = true;
		this.node.elections().unregister(this.candidate);
		this.node.elections().register(this.candidate);
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1");
		this.wordless = false;
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1", "elected 1");
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

	// Listeners

	@Test
	void leaseIsNotReleasedBeforeListenersCanBeToldOfTheDefeat() {
		this.node.elections().join("jobs");
		this.node.run();
		this.speechless = true;
		this.node.elections().resign("jobs");
		live(500);
		assertThat(holder()).isEqualTo("me");
		assertThat(this.node.leads("jobs")).isFalse();
		this.speechless = false;
		live(500);
		assertThat(this.node.heard()).containsExactly("elected jobs 1", "leader of jobs: null -> me", "defeated jobs 1",
				"leader of jobs: me -> null");
		assertThat(holder()).isNull();
	}

	@Test
	void noOtherTermBeginsBeforeListenersCanBeToldOfALoss() {
		this.node.elections().join("jobs");
		this.node.run();
		this.store.failBefore();
		this.speechless = true;
		live(10_000);
		this.store.heal();
		live(30_000);
		assertThat(this.node.leads("jobs")).isFalse();
		this.speechless = false;
		live(20_000);
		assertThat(this.node.heard()).filteredOn((heard) -> !heard.startsWith("leader"))
			.containsExactly("elected jobs 1", "defeated jobs 1", "elected jobs 2");
	}

	@Test
	void listenersThatCouldNotBeToldOfATermHearNothingOfItsEnd() {
		this.speechless = true;
		this.node.elections().register(this.candidate);
		this.node.run();
		GatedCall call = this.node.enter("jobs");
		this.node.elections().resign("jobs");
		this.node.run();
		this.speechless = false;
		call.close();
		live(1_000);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		assertThat(this.node.heard()).containsExactly("leader of jobs: null -> me", "leader of jobs: me -> null");
		assertThat(holder()).isNull();
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

	// What is done when this process is in the middle of doing it

	@Test
	void listenersHearOfTheDefeatOfWhoResignsWhileTheyAreToldOfItsElection() {
		AtomicInteger resigned = new AtomicInteger();
		this.node.whenAskedForThread(() -> {
			if (resigned.getAndIncrement() == 0) {
				this.node.elections().resign("jobs");
			}
		});
		this.node.elections().join("jobs");
		this.node.run();
		assertThat(resigned).hasPositiveValue();
		assertThat(this.node.heard()).filteredOn((heard) -> !heard.startsWith("leader"))
			.containsExactly("elected jobs 1", "defeated jobs 1");
		assertThat(holder()).isNull();
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

		@Override
		void beginToTell(CandidateCallbacks callbacks, Term ended) {
			if (PendingEffectsTests.this.wordless) {
				throw new InternalError("no memory to tell a candidate, as the test wants");
			}
			super.beginToTell(callbacks, ended);
		}

		@Override
		void tell(Consumer<ElectionListener> event) {
			if (PendingEffectsTests.this.speechless) {
				throw new InternalError("no memory to tell listeners, as the test wants");
			}
			super.tell(event);
		}

	}

}
