package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of methods that return a reactive type.
 */
class LeaderOnlyReactiveTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final AtomicInteger calls = new AtomicInteger();

	private static TestPublisher<String> source;

	private final ApplicationContextRunner runner = GateRunner.follower().withBean(Reactive.class);

	@BeforeEach
	void prepare() {
		calls.set(0);
		source = TestPublisher.create();
	}

	@Test
	void strictSubscriptionOnAFollowerFails() {
		this.runner.run((context) -> {
			Reactive bean = context.getBean(Reactive.class);
			StepVerifier.create(bean.strictMono()).expectError(NotLeaderException.class).verify(LIMIT);
			StepVerifier.create(bean.strictFlux())
				.expectErrorMessage("LeaderOnlyReactiveTests.Reactive.strictFlux was refused: "
						+ "this instance does not lead election 'reactive'")
				.verify(LIMIT);
			assertThat(calls).hasValue(0);
		});
	}

	@Test
	void gateIsAskedAtEachSubscriptionNotAtTheCall() {
		this.runner.run((context) -> {
			Mono<String> mono = context.getBean(Reactive.class).value();
			TestGate gate = GateRunner.gate(context);
			assertThat(gate.asked()).isEmpty();
			StepVerifier.create(mono).expectComplete().verify(LIMIT);
			gate.leading("reactive");
			StepVerifier.create(mono).expectNext("value").expectComplete().verify(LIMIT);
			StepVerifier.create(mono).expectNext("value").expectComplete().verify(LIMIT);
			assertThat(gate.asked()).hasSize(3);
			assertThat(calls).hasValue(2);
			assertThat(gate.inFlight("reactive")).isZero();
		});
	}

	static Stream<Function<Reactive, Publisher<String>>> publishers() {
		return Stream.of(Reactive::mono, Reactive::flux, Reactive::publisher,
				(bean) -> JdkFlowAdapter.flowPublisherToFlux(bean.flow()));
	}

	@ParameterizedTest
	@MethodSource("publishers")
	void subscriptionOnAFollowerIsEmpty(Function<Reactive, Publisher<String>> method) {
		this.runner.run((context) -> {
			StepVerifier.create(method.apply(context.getBean(Reactive.class))).expectComplete().verify(LIMIT);
			assertThat(calls).hasValue(0);
			source.assertWasNotSubscribed();
		});
	}

	@ParameterizedTest
	@MethodSource("publishers")
	void subscriptionIsInFlightUntilItEnds(Function<Reactive, Publisher<String>> method) {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("reactive");
			Publisher<String> publisher = method.apply(context.getBean(Reactive.class));
			inFlight(publisher, gate).then(() -> source.emit("a")).expectNext("a").expectComplete().verify(LIMIT);
			assertThat(gate.inFlight("reactive")).isZero();
			prepare();
			inFlight(publisher, gate).then(() -> source.error(new IllegalStateException("broken")))
				.expectErrorMessage("broken")
				.verify(LIMIT);
			assertThat(gate.inFlight("reactive")).isZero();
			prepare();
			inFlight(publisher, gate).thenCancel().verify(LIMIT);
			assertThat(gate.inFlight("reactive")).isZero();
			source.assertCancelled();
		});
	}

	private static StepVerifier.Step<String> inFlight(Publisher<String> publisher, TestGate gate) {
		return StepVerifier.create(publisher).then(() -> assertThat(gate.inFlight("reactive")).isOne());
	}

	@ParameterizedTest
	@MethodSource("publishers")
	void lossCancelsTheSubscription(Function<Reactive, Publisher<String>> method) {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("reactive");
			TestTerm term = gate.term("reactive");
			StepVerifier.create(method.apply(context.getBean(Reactive.class)))
				.then(() -> gate.lose("reactive"))
				.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOf(LeadershipLostException.class)
					.hasMessage("Leadership of election 'reactive' in term 1 has ended: EXPIRED"))
				.verify(LIMIT);
			source.assertCancelled();
			assertThat(term.inFlight()).isZero();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void lossDoesNotCancelAnUninterruptibleSubscription() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("reactive");
			TestTerm term = gate.term("reactive");
			StepVerifier.create(context.getBean(Reactive.class).patient())
				.then(() -> gate.lose("reactive"))
				.then(term::awaitTold)
				.then(() -> assertThat(term.inFlight()).isOne())
				.then(() -> source.emit("late"))
				.expectNext("late")
				.expectComplete()
				.verify(LIMIT);
			source.assertNotCancelled();
			assertThat(term.inFlight()).isZero();
		});
	}

	@Test
	void methodThatThrowsEndsTheCall() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("reactive");
			StepVerifier.create(context.getBean(Reactive.class).broken()).expectErrorMessage("broken").verify(LIMIT);
			assertThat(gate.inFlight("reactive")).isZero();
			assertThat(TestTerm.current()).isNull();
		});
	}

	@Test
	void contextReachesTheMethodsPublisherAndHasTheLeadership() {
		this.runner.run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("reactive");
			StepVerifier
				.create(context.getBean(Reactive.class).contextual().contextWrite((ctx) -> ctx.put("user", "ada")))
				.expectNext("ada in term " + gate.term("reactive").leadership().term())
				.expectComplete()
				.verify(LIMIT);
		});
	}

	@LeaderOnly("reactive")
	static class Reactive {

		public Mono<String> mono() {
			calls.incrementAndGet();
			return source.mono();
		}

		public Flux<String> flux() {
			calls.incrementAndGet();
			return source.flux();
		}

		public Publisher<String> publisher() {
			calls.incrementAndGet();
			return source;
		}

		public Flow.Publisher<String> flow() {
			calls.incrementAndGet();
			return JdkFlowAdapter.publisherToFlowPublisher(source);
		}

		public Mono<String> value() {
			calls.incrementAndGet();
			return Mono.just("value");
		}

		public Mono<String> broken() {
			throw new IllegalStateException("broken");
		}

		public Mono<String> contextual() {
			return Mono.deferContextual(
					(context) -> Mono.just(context.get("user") + " in term " + context.get(Leadership.class).term()));
		}

		@LeaderOnly(value = "reactive", interrupt = false)
		public Flux<String> patient() {
			return source.flux();
		}

		@LeaderOnly(value = "reactive", otherwise = Otherwise.THROW)
		public Mono<String> strictMono() {
			calls.incrementAndGet();
			return source.mono();
		}

		@LeaderOnly(value = "reactive", otherwise = Otherwise.THROW)
		public Flux<String> strictFlux() {
			calls.incrementAndGet();
			return source.flux();
		}

	}

}
