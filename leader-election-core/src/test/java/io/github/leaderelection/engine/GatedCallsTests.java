package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link GatedCalls} and {@link GatedCall}.
 */
class GatedCallsTests {

	private final ManualClock clock = new ManualClock();

	private final PumpedExecutor lossExecutor = new PumpedExecutor();

	private final Map<String, Term> terms = new HashMap<>();

	private final Map<String, GatedCall> calls = new HashMap<>();

	private final ExecutorService worker = Executors.newSingleThreadExecutor();

	private int told;

	@AfterEach
	void stopWorker() {
		this.worker.shutdownNow();
		boolean interrupted = Thread.interrupted();
		assertThat(WorkScope.find(Leadership.class)).isNull();
		assertThat(interrupted).isFalse();
	}

	/** What one thread does: a to d are calls, x and y are the terms that let them in. */
	static Stream<Arguments> calls() {
		return Scripts
			.of("""
					are let in while the term is held
					  a enters x; in x; x has 1; a ends; x has 0; in nothing
					are refused from the deadline on
					  10 s pass; x refuses; x has 0
					are refused once the gate is closed, though the term is held
					  x closes; x is held; x refuses; x has 0
					are drained when the gate is closed and the last one in flight has ended
					  a enters x; a ends; x is not drained; a enters x; b enters x; x closes; b ends; x is not drained
					  a ends; x is drained
					end once, though twice
					  a enters x; a ends; b enters x; a ends; x closes; x has 1; x is not drained; in x; b ends
					end those inside them that the thread has left
					  a enters x; b enters x; c enters y; d enters x; b ends; in x; x has 1; y has 0; d ends; c ends; x has 1
					  a ends; x has 0; in nothing
					end those inside them once their terms are lost, too
					  a enters x; b enters y; c enters x; x is lost; y is lost; x closes; y closes; a ends; x is drained
					  y is drained; not interrupted
					that are refused are not the current ones
					  a enters x; y has ended; y refuses; in x; a ends
					that end are not interrupted any more, nor is what follows
					  a enters x; x is lost; interrupted; a ends; not interrupted; x is lost; not interrupted
					are not interrupted if they do not want that
					  a enters x undisturbed; x is lost; not interrupted; a ends
					keep an interrupt that was not meant for them
					  a enters x; interrupt; a ends; interrupted; clear
					do not leave their interrupt to an outer one whose term is held
					  a enters x; b enters y; y is lost; b ends; not interrupted; a ends
					of the same term are interrupted each, though an inner one has swallowed it
					  a enters x; b enters x; x is lost; interrupted; clear; b ends; interrupted; a ends; not interrupted
					keep their interrupt past an inner one that does not want any
					  a enters x; b enters x undisturbed; c enters y; x is lost; y is lost; c ends; b ends; interrupted; a ends
					that do not want any are not left the interrupt of an inner one
					  a enters x undisturbed; b enters x; x is lost; b ends; not interrupted; a ends
					that are lost before they are told are interrupted once they are
					  a enters x; b enters y; y is lost; x has ended; b ends; not interrupted; x is lost; interrupted; a ends
					  not interrupted; x is lost; not interrupted
					that are detached leave their thread alone
					  a enters x; a is detached; in nothing; x is lost; not interrupted; x has 1; a ends
					that are detached leave none inside them
					  a enters x; b enters x; a is detached; x has 1; a ends; x has 0; in nothing
					that are detached leave no interrupt that they were given back
					  a enters x; b enters x; x is lost; b ends; interrupted; a is detached; not interrupted; a ends
					that are detached end in any thread
					  a enters x; a is detached; x closes; b enters y; a ends elsewhere; x is drained; a ends; in y; b ends
					that are detached are told of the loss once
					  a enters x; a is detached; x is lost; told 0; x is lost; pump; told 1; a ends
					that are detached after the loss are told at once
					  a enters x; x is lost; a is detached; not interrupted; pump; told 1; a ends
					that are detached and have ended are not told
					  a enters x; a is detached; a ends; x is lost; pump; told 0
					""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void calls(String rule, String script) {
		assertThat(term("x").isHeld() && term("y").isHeld()).isTrue();
		Scripts.run(script, this::step);
	}

	private void step(String step) {
		String[] words = step.split(" ", 2);
		switch (words[0]) {
			case "10" -> this.clock.advance(10_000);
			case "pump" -> this.lossExecutor.pump();
			case "told" -> assertThat(this.told).isEqualTo(Integer.parseInt(words[1]));
			case "in" -> assertThat(WorkScope.find(Leadership.class))
				.isSameAs(words[1].equals("nothing") ? null : term(words[1]));
			case "interrupt" -> Thread.currentThread().interrupt();
			case "clear" -> assertThat(Thread.interrupted()).isTrue();
			case "interrupted" -> assertThat(Thread.currentThread().isInterrupted()).isTrue();
			case "not" -> assertThat(Thread.currentThread().isInterrupted()).isFalse();
			case "x", "y" -> step(term(words[0]), words[1]);
			default -> step(words[0], words[1].split(" "));
		}
	}

	private void step(Term term, String what) {
		switch (what) {
			case "is lost" -> lose(term);
			case "has ended" -> term.end(LossReason.EXPIRED);
			case "closes" -> term.calls().close();
			case "refuses" -> assertThat(term.enter(true)).isNull();
			case "is held" -> assertThat(term.isHeld()).isTrue();
			case "is drained" -> assertThat(term.calls().drained()).isDone();
			case "is not drained" -> assertThat(term.calls().drained()).isNotDone();
			default -> assertThat(what).isEqualTo("has " + term.calls().count());
		}
	}

	private void step(String call, String[] words) {
		switch (words[0]) {
			case "enters" -> this.calls.put(call, term(words[1]).enter(words.length == 2));
			case "is" -> this.calls.get(call).detach(() -> this.told++);
			case "ends" -> {
				if (words.length == 1) {
					this.calls.get(call).close();
				}
				else {
					assertThat(this.worker.submit(this.calls.get(call)::close)).succeedsWithin(Duration.ofSeconds(10));
				}
			}
			default -> throw new IllegalArgumentException(words[0]);
		}
	}

	private Term term(String election) {
		return this.terms.computeIfAbsent(election, this::newTerm);
	}

	@Test
	void callIsDetachedByTheThreadThatIsInItOnly() throws Exception {
		GatedCall call = term("x").enter(true);
		assertThat(call.leadership()).isSameAs(term("x"));
		this.worker.submit(() -> assertThatIllegalStateException().isThrownBy(() -> call.detach(null)))
			.get(10, TimeUnit.SECONDS);
		call.close();
		assertThatIllegalStateException().isThrownBy(() -> call.detach(null));
		assertThat(term("x").calls().count()).isZero();
	}

	@Test
	void lossInterruptsTheThreadInsideTheCall() throws Exception {
		Term term = term("x");
		CountDownLatch entered = new CountDownLatch(1);
		Future<?> interrupted = this.worker.submit(() -> {
			try (GatedCall call = term.enter(true)) {
				entered.countDown();
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
			}
		});
		entered.await();
		lose(term);
		interrupted.get(10, TimeUnit.SECONDS);
	}

	@Test
	void neverInterruptsThreadThatLeavesAtTheSameTimeNorSwallowsTheInterruptOfWhatIsAround() throws Exception {
		int rounds = 20_000;
		AtomicReference<Term> next = new AtomicReference<>();
		Future<?> caller = this.worker.submit(() -> {
			for (int round = 0; round < rounds; round++) {
				Term contended = newTerm("contended");
				GatedCall outer = contended.enter(true);
				Term lost = newTerm("lost");
				GatedCall inner = lost.enter(true);
				lose(lost);
				next.set(contended);
				for (int i = 0; i < round % 64; i++) {
					Thread.onSpinWait();
				}
				inner.close();
				// Of two rounds one leaves at once, while it is interrupted perhaps.
				boolean waits = round % 2 == 0;
				while (waits && next.get() != null) {
					Thread.onSpinWait();
				}
				boolean interrupted = Thread.currentThread().isInterrupted();
				assertThat(!waits || interrupted).as("interrupted in call %d", round).isTrue();
				outer.close();
				while (next.get() != null) {
					Thread.onSpinWait();
				}
				assertThat(Thread.interrupted()).as("interrupted after call %d", round).isFalse();
			}
		});
		while (!caller.isDone()) {
			Term contended = next.get();
			if (contended != null) {
				lose(contended);
				next.set(null);
			}
		}
		caller.get(10, TimeUnit.SECONDS);
	}

	private static void lose(Term term) {
		term.end(LossReason.EXPIRED);
		term.calls().lose();
	}

	private Term newTerm(String election) {
		return new Term(election, election, "me", 1,
				new Deadline(this.clock.now().plus(Duration.ofSeconds(10)), this.clock),
				this.clock.now().plus(Duration.ofSeconds(10)), this.clock, this.lossExecutor, EngineObservers.NONE);
	}

}
