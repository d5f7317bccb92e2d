package io.github.leaderelection.spring;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.leaderelection.engine.GatedCall;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GateServices}.
 */
class GateServicesTests {

	private final TestGate actual = new TestGate().leading("a");

	private final AtomicInteger asked = new AtomicInteger();

	private final GateServices gate = services(() -> {
		this.asked.incrementAndGet();
		return this.actual;
	});

	private GateServices late = this.gate;

	@Test
	void earlyCallStandsInItsElectionFirst() {
		TestGate strict = new TestGate() {

			@Override
			public void stand(String election) {
				super.stand(election);
				if (election.equals("a")) {
					GatedCall unused = GateServicesTests.this.late.enter(operation("b"));
					assertThat(stood()).containsExactly("a", "b");
				}
			}

		};
		this.late = services(() -> strict);
		this.late.stand("a");
		this.late.stand("b");
		this.late.afterSingletonsInstantiated();
		assertThat(strict.stood()).contains("a", "b");
	}

	@Test
	void earlyCallIsRefusedWithoutLookingUpTheGate() {
		assertThat(this.gate.refusal(operation("a"))).hasMessageContaining("Jobs.run");
		assertThat(this.asked).hasValue(0);
	}

	private static GateOperation operation(String election) {
		return new GateOperation("Jobs.run", election, true, null, null, FencedCalls.NONE, null);
	}

	private static GateServices services(Supplier<@Nullable LeaderOnlyGate> gate) {
		return new GateServices(new GateSettings(GateMode.ENFORCED, true, 0, true, null), gate,
				() -> ObservationRegistry.NOOP, () -> null);
	}

}
