package io.github.leaderelection.engine;

import io.github.leaderelection.AllocatedBytes;
import io.github.leaderelection.store.InMemoryLeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A gated call allocates nothing, whether it is let in or not.
 */
@Tag("deep")
class GateAllocationTests {

	private final TestEngines engines = new TestEngines(new InMemoryLeaseStore());

	private final ElectionEngine engine = this.engines.create("me", EngineClock.SYSTEM);

	private volatile Object kept;

	@BeforeEach
	void stand() {
		this.engine.stand("jobs");
	}

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void callOnTheLeaderAllocatesNothing() {
		lead();
		assertThat(AllocatedBytes.perCall(this::call)).isZero();
	}

	@Test
	void callInsideAnotherAllocatesNothing() {
		lead();
		long outer = this.engine.enter("jobs", true);
		assertThat(outer).isNotEqualTo(GatedCall.REFUSED);
		assertThat(AllocatedBytes.perCall(this::call)).isZero();
		GatedCall.end(outer);
	}

	@Test
	void callOnFollowerAllocatesNothing() {
		assertThat(AllocatedBytes.perCall(() -> {
			if (this.engine.enter("jobs", true) != GatedCall.REFUSED) {
				throw new IllegalStateException("Let in on a follower");
			}
		})).isZero();
	}

	@Test
	void objectPerCallIsNoticed() {
		lead();
		assertThat(AllocatedBytes.perCall(() -> {
			call();
			this.kept = new Object();
		})).isPositive();
	}

	private void lead() {
		this.engine.start();
		await().until(() -> this.engine.isLeader("jobs"));
	}

	private void call() {
		long ticket = this.engine.enter("jobs", true);
		if (ticket == GatedCall.REFUSED) {
			throw new IllegalStateException("Refused on the leader");
		}
		GatedCall.end(ticket);
	}

}
