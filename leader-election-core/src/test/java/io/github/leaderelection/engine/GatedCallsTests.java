package io.github.leaderelection.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

	private final List<String> drained = new ArrayList<>();

	private int told;

	@AfterEach
	void stopWorker() {
		this.worker.shutdownNow();
		boolean interrupted = Thread.interrupted();
		assertThat(WorkScope.find(Leadership.class)).isNull();
		assertThat(interrupted).isFalse();
	}

	static Stream<Arguments> calls() throws IOException {
		return Scripts.of("engine/rules.md", "Calls");
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
			case "is drained" -> assertThat(this.drained).containsOnlyOnce(term.election());
			case "is not drained" -> assertThat(this.drained).doesNotContain(term.election());
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
	void onlyTheThreadInsideACallCanDetachIt() throws Exception {
		GatedCall call = term("x").enter(true);
		assertThat(call.leadership()).isSameAs(term("x"));
		this.worker.submit(() -> assertThatIllegalStateException().isThrownBy(() -> call.detach(null)))
			.get(10, TimeUnit.SECONDS);
		call.close();
		assertThatIllegalStateException().isThrownBy(() -> call.detach(null));
		assertThat(term("x").calls().count()).isZero();
	}

	@Test
	void interruptNeitherOutlivesItsCallNorGetsLostForTheOuterCall() throws Exception {
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
				// Every second round leaves at once, perhaps while it is interrupted.
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
		return TestTerm.term(election, 1, Duration.ofSeconds(10), this.clock, this.lossExecutor,
				() -> this.drained.add(election));
	}

}
