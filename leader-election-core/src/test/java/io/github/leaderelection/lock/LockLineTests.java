package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.TestTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLine}. What else becomes of locks is simulated.
 */
class LockLineTests {

	private final TestTerm term = new TestTerm("a", 7);

	private final LockLine line = new LockLine("a", new ElectionAccess((candidate) -> {
	}, (candidate) -> {
	}, (election) -> this.term.enter(false), (term) -> {
	}, (election) -> Optional.empty(), (task) -> {
	}), EngineLog.of(LockService.class));

	@Test
	void termThatIsOverBeforeItIsToldServesNobody() {
		Waiter waiter = new Waiter(Duration.ofDays(1), Duration.ZERO, Runnable::run);
		assertThat(this.line.join(waiter)).isTrue();
		this.term.lose();
		this.line.onElected(this.term.leadership());
		this.line.onDefeated(this.term.leadership());
		assertThat(waiter).isNotDone();
		assertThat(this.line.waiting()).isOne();
	}

}
