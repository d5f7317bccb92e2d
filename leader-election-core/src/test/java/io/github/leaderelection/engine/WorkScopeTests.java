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
