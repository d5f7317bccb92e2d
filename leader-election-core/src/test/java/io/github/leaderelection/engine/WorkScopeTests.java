package io.github.leaderelection.engine;

import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Leadership;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkScope}.
 */
class WorkScopeTests {

	private final Leadership first = new TestTerm("first", 1).leadership();

	private final Leadership second = new TestTerm("second", 1).leadership();

	@AfterEach
	void nothingIsLeft() {
		boolean interrupted = Thread.interrupted();
		assertThat(WorkScope.find(Object.class)).isNull();
		assertThat(interrupted).isFalse();
	}

	@Test
	void innermostOfEachTypeIsFound() {
		try (WorkScope outer = WorkScope.enter(this.first); WorkScope inner = WorkScope.enter("run")) {
			assertThat(WorkScope.find(Leadership.class)).isSameAs(this.first);
			assertThat(WorkScope.find(String.class)).isEqualTo("run");
			assertThat(WorkScope.find(Integer.class)).isNull();
			try (WorkScope innermost = WorkScope.enter(this.second)) {
				assertThat(WorkScope.find(Leadership.class)).isSameAs(this.second);
			}
			assertThat(WorkScope.find(Leadership.class)).isSameAs(this.first);
		}
	}

	@Test
	void handedLeadershipReplacesThePreviousOne() {
		WorkScope.hand(this.first);
		WorkScope.hand(this.second);
		assertThat(WorkScope.find(Leadership.class)).isSameAs(this.second);
		WorkScope.takeBack();
		assertThat(WorkScope.find(Leadership.class)).isNull();
		WorkScope.takeBack();
	}

	@Test
	void handedLeadershipEndsWithItsScope() {
		try (WorkScope scope = WorkScope.enter(this.first)) {
			WorkScope.hand(this.second);
			assertThat(WorkScope.find(Leadership.class)).isSameAs(this.second);
			WorkScope.hand(this.first);
			assertThat(WorkScope.find(Leadership.class)).isSameAs(this.first);
			WorkScope.hand(this.second);
		}
	}

	@Test
	void takeBackInsideAScopeKeepsTheOuterLeadership() {
		WorkScope.hand(this.first);
		try (WorkScope scope = WorkScope.enter(this.second)) {
			WorkScope.takeBack();
			assertThat(WorkScope.find(Leadership.class)).isSameAs(this.second);
		}
		assertThat(WorkScope.find(Leadership.class)).isSameAs(this.first);
		WorkScope.takeBack();
	}

	@Test
	void deferredInterruptIsDelivered() {
		try (WorkScope outer = WorkScope.enter("outer"); WorkScope inner = WorkScope.enter("inner")) {
			inner.interrupt();
			WorkScope.deferInterrupts();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			outer.interrupt();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			WorkScope.deliverInterrupts();
			assertThat(Thread.interrupted()).isTrue();
			WorkScope.deliverInterrupts();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
	}

	@Test
	void deferredInterruptEndsWithItsScope() {
		try (WorkScope outer = WorkScope.enter("outer")) {
			WorkScope.deferInterrupts();
			try (WorkScope inner = WorkScope.enter("inner")) {
				inner.interrupt();
			}
			WorkScope.deliverInterrupts();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			WorkScope.deferInterrupts();
			outer.interrupt();
		}
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfTheOuterScopeOutlivesTheInnerOne() {
		try (WorkScope outer = WorkScope.enter("outer")) {
			WorkScope.deferInterrupts();
			try (WorkScope inner = WorkScope.enter("inner")) {
				inner.interrupt();
				outer.interrupt();
			}
			WorkScope.deliverInterrupts();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}
	}

	/** Not ours: whoever interrupts the thread directly wants it to end. */
	@Test
	void interruptOfOthersIsNotLost() {
		WorkScope outer = WorkScope.enter("outer");
		Thread.currentThread().interrupt();
		WorkScope.deferInterrupts();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.close();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void failedInterruptDoesNotKeepAScopeOpen() throws InterruptedException {
		AtomicReference<Object> inside = new AtomicReference<>(this);
		Thread defiant = new Thread(() -> {
			WorkScope outer = WorkScope.enter("outer");
			WorkScope inner = WorkScope.enter("inner");
			outer.interrupt();
			inner.interrupt();
			inner.close();
			outer.close();
			inside.set(Thread.currentThread().isInterrupted() ? "interrupt" : WorkScope.find(Object.class));
		}) {

			@Override
			public void interrupt() {
				super.interrupt();
				throw new IllegalStateException("made on purpose");
			}

		};
		defiant.start();
		defiant.join();
		assertThat(inside).hasValue(null);
	}

}
