package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.engine.TestTerm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLine}.
 */
@ExtendWith(LogCapture.class)
class LockLineTests {

	private static final String LOST = "WARN io.github.leaderelection.lock.LockService - "
			+ "Lost lock 'a', term 7, before it was given back: EXPIRED; others may hold it now";

	private final List<Leadership> givenUp = new ArrayList<>();

	private final List<Runnable> afterMargin = new ArrayList<>();

	private final TestTerm term = new TestTerm("a", 7);

	private final LockLine line = new LockLine("a", new ElectionAccess((candidate) -> {
	}, (candidate) -> {
	}, (election) -> this.term.enter(false), this.givenUp::add, (election) -> Optional.empty(), this.afterMargin::add),
			EngineLog.of(LockService.class));

	/** As after a pause of the process. */
	@Test
	void lossIsToldOnceIfItIsNoticedWhenTheLockIsClosed(CapturedLog log) {
		HeldLock lock = acquire();
		this.term.lose();
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
		assertThat(lock.lossReason()).contains(LossReason.EXPIRED);
		assertThat(this.givenUp).containsExactly(this.term.leadership());
		this.line.onDefeated(this.term.leadership());
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
	}

	@Test
	void lossIsToldOnceIfItIsNoticedBefore(CapturedLog log) {
		HeldLock lock = acquire();
		this.term.lose();
		this.line.onDefeated(this.term.leadership());
		assertThat(log).containsOnlyOnce(LOST);
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
	}

	@Test
	void lockThatWasClosedInTimeIsNotLost(CapturedLog log) {
		HeldLock lock = acquire();
		lock.close();
		this.term.lose();
		this.line.onDefeated(this.term.leadership());
		assertThat(lock.lossReason()).contains(LossReason.RESIGNED);
		assertThat(log).doesNotContain("Lost lock");
	}

	@Test
	void lockIsWorkOfItsTermUntilItIsClosed() {
		HeldLock lock = acquire();
		this.term.lose();
		this.line.onDefeated(this.term.leadership());
		assertThat(this.term.inFlight()).isOne();
		lock.close();
		assertThat(this.term.inFlight()).isZero();
	}

	@Test
	void lostLockThatIsNeverClosedIsNoWorkAfterTheMargin() {
		acquire();
		this.term.lose();
		this.line.onDefeated(this.term.leadership());
		assertThat(this.term.inFlight()).isOne();
		this.afterMargin.forEach(Runnable::run);
		assertThat(this.term.inFlight()).isZero();
	}

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

	private HeldLock acquire() {
		Waiter waiter = new Waiter(Duration.ofDays(1), Duration.ZERO, Runnable::run);
		assertThat(this.line.join(waiter)).isTrue();
		this.line.onElected(this.term.leadership());
		return waiter.join();
	}

}
