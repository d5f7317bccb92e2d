package io.github.leaderelection.lock;

import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.CapturedLog;
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

	private final LockLine line = new LockLine("a", new LineElections() {

		@Override
		public void register(Candidate candidate) {
		}

		@Override
		public void unregister(Candidate candidate) {
		}

		@Override
		public void giveUp(Leadership term) {
			LockLineTests.this.givenUp.add(term);
		}

	}, () -> {
	});

	private final TestTerm term = new TestTerm("a", 7);

	/** As after a pause of the process. */
	@Test
	void lossIsToldOnceIfItIsNoticedWhenTheLockIsClosed(CapturedLog log) {
		HeldLock lock = acquire();
		this.term.lose();
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
		assertThat(lock.lossReason()).contains(LossReason.EXPIRED);
		assertThat(this.givenUp).containsExactly(this.term.leadership());
		this.line.defeated(this.term.leadership());
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
	}

	@Test
	void lossIsToldOnceIfItIsNoticedBefore(CapturedLog log) {
		HeldLock lock = acquire();
		this.term.lose();
		this.line.defeated(this.term.leadership());
		assertThat(log).containsOnlyOnce(LOST);
		lock.close();
		assertThat(log).containsOnlyOnce(LOST);
	}

	@Test
	void lockThatWasClosedInTimeIsNotLost(CapturedLog log) {
		HeldLock lock = acquire();
		lock.close();
		this.term.lose();
		this.line.defeated(this.term.leadership());
		assertThat(lock.lossReason()).contains(LossReason.RESIGNED);
		assertThat(log).doesNotContain("Lost lock");
	}

	private HeldLock acquire() {
		Waiter waiter = new Waiter(true, Runnable::run);
		assertThat(this.line.join(waiter)).isTrue();
		this.line.elected(this.term.leadership());
		return waiter.join();
	}

}
