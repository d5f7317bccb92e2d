package io.github.leaderelection.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of calls that are observed.
 */
class LeaderOnlyObservationTests {

	private final TestObservationRegistry observations = TestObservationRegistry.create();

	private final ApplicationContextRunner runner = GateRunner.follower().withBean(Jobs.class);

	private final ApplicationContextRunner observed = this.runner.withBean(ObservationRegistry.class,
			() -> this.observations);

	@Test
	void callIsObserved() {
		this.observed.run((context) -> {
			GateRunner.gate(context).leading("jobs");
			Observation inside = context.getBean(Jobs.class).current(this.observations);
			assertThat(this.observations.getCurrentObservation()).isNull();
			assertThat(inside.getContext()).isInstanceOf(LeaderOnlyObservationContext.class);
			TestObservationRegistryAssert.assertThat(this.observations)
				.hasSingleObservationThat()
				.hasNameEqualTo("leader.election.method")
				.hasContextualNameEqualTo("leader-only LeaderOnlyObservationTests.Jobs.current")
				.hasLowCardinalityKeyValue("election", "jobs")
				.hasLowCardinalityKeyValue("method", "LeaderOnlyObservationTests.Jobs.current")
				.hasHighCardinalityKeyValue("term", "1")
				.hasHighCardinalityKeyValue("candidate", "me")
				.hasBeenStopped()
				.doesNotHaveError();
		});
	}

	static Stream<Consumer<Jobs>> failures() {
		IllegalStateException failure = new IllegalStateException("expected by the test");
		return Stream.of((jobs) -> assertThatIllegalStateException().isThrownBy(jobs::fail),
				(jobs) -> jobs.stage(CompletableFuture.failedFuture(failure)), (jobs) -> {
					CompletableFuture<String> stage = new CompletableFuture<>();
					jobs.stage(stage);
					stage.completeExceptionally(failure);
				}, (jobs) -> {
					FutureTask<String> failed = new FutureTask<>(() -> {
						throw failure;
					});
					failed.run();
					jobs.future(failed);
				});
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureIsObserved(Consumer<Jobs> failure) {
		this.observed.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("jobs");
			failure.accept(context.getBean(Jobs.class));
			assertThat(gate.inFlight("jobs")).isZero();
			assertSingle().hasBeenStopped().hasError();
		});
	}

	@Test
	void stageIsObservedUntilItCompletes() {
		this.observed.run((context) -> {
			GateRunner.gate(context).leading("jobs");
			CompletableFuture<String> stage = new CompletableFuture<>();
			context.getBean(Jobs.class).stage(stage);
			assertThat(this.observations.getCurrentObservation()).isNull();
			assertSingle().hasBeenStarted().isNotStopped();
			stage.complete("done");
			assertSingle().hasBeenStopped().doesNotHaveError();
		});
	}

	@Test
	void subscriptionIsObservedInsideItsContext() {
		this.observed.run((context) -> {
			GateRunner.gate(context).leading("jobs");
			Jobs jobs = context.getBean(Jobs.class);
			Mono<Observation> mono = jobs.mono();
			TestObservationRegistryAssert.assertThat(this.observations).doesNotHaveAnyObservation();
			Observation outer = Observation.start("outer", this.observations);
			Observation inside = mono.contextWrite((view) -> view.put("micrometer.observation", outer)).block();
			assertThat(inside.getContext()).isInstanceOf(LeaderOnlyObservationContext.class);
			TestObservationRegistryAssert.assertThat(this.observations)
				.hasObservationWithNameEqualTo("leader.election.method")
				.that()
				.hasBeenStopped()
				.hasParentObservationEqualTo(outer);
			assertThatIllegalStateException().isThrownBy(() -> jobs.flux().blockLast());
			TestObservationRegistryAssert.assertThat(this.observations)
				.hasAnObservation(
						(each) -> each.hasLowCardinalityKeyValue("method", "LeaderOnlyObservationTests.Jobs.flux")
							.hasError());
			assertThat(GateRunner.gate(context).inFlight("jobs")).isZero();
		});
	}

	@Test
	void skippedCallIsNotObserved() {
		this.observed.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.fail();
			jobs.mono().block();
			TestObservationRegistryAssert.assertThat(this.observations).doesNotHaveAnyObservation();
			assertThat(GateRunner.gate(context).refused()).containsExactly("jobs skipped", "jobs skipped");
		});
	}

	@Test
	void conventionCanBeReplaced() {
		this.observations.observationConfig().observationConvention(new ShortConvention());
		this.observed.run((context) -> {
			GateRunner.gate(context).leading("jobs");
			context.getBean(Jobs.class).current(this.observations);
			assertSingle().hasContextualNameEqualTo("lead jobs");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callEndsEvenIfItsObservationFails(boolean start) {
		// Fails when an observation starts, or when its scope is closed
		IllegalStateException failure = new IllegalStateException("expected by the test");
		ObservationHandler<Observation.Context> handler = Mockito.mock();
		Mockito.when(handler.supportsContext(Mockito.any())).thenReturn(true);
		Mockito.doThrow(failure).when(handler).onScopeClosed(Mockito.any());
		if (start) {
			Mockito.doThrow(failure).when(handler).onStart(Mockito.any());
		}
		this.observations.observationConfig().observationHandler(handler);
		this.observed.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("jobs");
			Jobs jobs = context.getBean(Jobs.class);
			assertThatIllegalStateException().isThrownBy(() -> jobs.current(this.observations));
			assertThat(gate.inFlight("jobs")).isZero();
			assertThatIllegalStateException().isThrownBy(() -> jobs.mono().block());
			assertThat(gate.inFlight("jobs")).isZero();
		});
		// Left behind by the handler
		this.observations.setCurrentObservationScope(null);
	}

	@Test
	void nothingIsObservedWithoutRegistry() {
		this.runner.run((context) -> {
			GateRunner.gate(context).leading("jobs");
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.current(this.observations)).isNull();
			assertThat(jobs.mono().blockOptional()).isEmpty();
		});
	}

	private TestObservationRegistryAssert.TestObservationRegistryAssertReturningObservationContextAssert assertSingle() {
		return TestObservationRegistryAssert.assertThat(this.observations).hasSingleObservationThat();
	}

	static class Jobs {

		@LeaderOnly("jobs")
		public Observation current(ObservationRegistry registry) {
			return registry.getCurrentObservation();
		}

		@LeaderOnly("jobs")
		public void fail() {
			throw new IllegalStateException("expected by the test");
		}

		@LeaderOnly("jobs")
		public CompletionStage<String> stage(CompletionStage<String> stage) {
			return stage;
		}

		@LeaderOnly(value = "jobs", otherwise = Otherwise.THROW)
		public Future<String> future(Future<String> future) {
			return future;
		}

		@LeaderOnly("jobs")
		public Mono<Observation> mono() {
			return Mono.deferContextual((context) -> Mono.justOrEmpty(context.getOrEmpty("micrometer.observation")));
		}

		@LeaderOnly("jobs")
		public Flux<String> flux() {
			return Flux.error(new IllegalStateException("expected by the test"));
		}

	}

	private static final class ShortConvention extends LeaderOnlyObservationConvention
			implements GlobalObservationConvention<LeaderOnlyObservationContext> {

		@Override
		public String getContextualName(LeaderOnlyObservationContext context) {
			return "lead " + context.getLeadership().election();
		}

	}

}
