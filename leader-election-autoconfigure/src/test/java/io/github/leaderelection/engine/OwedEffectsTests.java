package io.github.leaderelection.engine;

import java.util.List;

import io.github.leaderelection.store.InMemoryLeaseStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What could not be done when it followed from a step is done later, and a lease is not
 * kept for a term that is not there.
 */
class OwedEffectsTests {

	private final ManualClock clock = new ManualClock();

	private final InMemoryLeaseStore leases = new InMemoryLeaseStore();

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private int failures;

	private boolean timeless;

	private final ElectionsNode node = new ElectionsNode("me", this.store, this.clock,
			ElectionSettings.of(ElectionsNode.TTL), Forgetful::new);

	@Test
	void termThatCannotBeginIsNotRenewed() {
		this.failures = Integer.MAX_VALUE;
		this.node.elections().register(this.candidate);
		this.node.run();
		assertThat(holder()).isEqualTo("me");
		live(8_900);
		assertThat(this.store.takeCalls()).noneMatch((call) -> call.startsWith("renew"));
		assertThat(this.node.leads("jobs")).isFalse();
		live(60_000);
		assertThat(this.store.takeCalls()).noneMatch((call) -> call.startsWith("renew"));
		assertThat(this.candidate.events()).isEmpty();
		assertThat(this.node.heard()).noneMatch((heard) -> heard.startsWith("elected"));
		this.failures = 0;
		live(20_000);
		assertThat(this.candidate.events()).hasSize(1);
		assertThat(this.node.leads("jobs")).isTrue();
	}

	@Test
	void termBeginsAsSoonAsItCan() {
		this.failures = 3;
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
		this.node.elections().stand("others");
		this.node.run();
		this.timeless = true;
		assertThatExceptionOfType(InternalError.class).isThrownBy(this.node.elections()::close);
		this.timeless = false;
		this.node.run();
		assertThat(this.node.elections().areOver()).isTrue();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(holder()).isNull();
	}

	private String holder() {
		return this.leases.read(List.of("jobs"), ElectionsNode.TTL).leases().get("jobs").holder();
	}

	private void live(long millis) {
		for (long passed = 0; passed < millis; passed += 100) {
			this.clock.advance(100);
			this.node.run();
		}
	}

	/** There may be no memory for a term, or for anything that a step asks for. */
	private final class Forgetful extends Participation {

		Forgetful(Elections elections, String election, ElectionProtocol protocol, Moment now) {
			super(elections, election, protocol, now);
		}

		@Override
		Term begin(Tenure tenure) {
			if (OwedEffectsTests.this.failures > 0) {
				OwedEffectsTests.this.failures--;
				throw new InternalError("no memory for a term, as the test wants");
			}
			return super.begin(tenure);
		}

		@Override
		void apply(Step step, Moment now) {
			if (OwedEffectsTests.this.timeless) {
				throw new InternalError("no memory for a step, as the test wants");
			}
			super.apply(step, now);
		}

	}

}
