package io.github.leaderelection.test;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.LeaderElection;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * Tests of test cases that JUnit runs in parallel, in one application context.
 */
class ParallelExecutionTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final AtomicInteger running = new AtomicInteger();

	private static final AtomicInteger run = new AtomicInteger();

	private static final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	private static final Set<LeaderElection> contexts = ConcurrentHashMap.newKeySet();

	@Test
	void testsOfOneContextWaitForEachOther() {
		EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(LeaderCase.class), selectClass(FollowerCase.class))
			.configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
			.configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
			.configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
			.configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
			.execute();
		assertThat(results.testEvents().failed().list()).isEmpty();
		assertThat(run).hasValue(40);
		assertThat(threads).hasSizeGreaterThan(1);
		assertThat(contexts).hasSize(1);
	}

	@Test
	void testInsideAnotherIsRefusedInsteadOfWaitingForever() {
		TestTurn turn = new TestTurn();
		turn.begin();
		assertThatIllegalStateException().isThrownBy(turn::begin)
			.withMessageContaining("It waits on this thread, which runs this test meanwhile");
		turn.end();
		turn.begin();
	}

	@Test
	void interruptEndsTheWait() {
		TestTurn turn = new TestTurn();
		Thread.currentThread().interrupt();
		assertThatIllegalStateException().isThrownBy(turn::begin).withMessageContaining("Interrupted while");
		assertThat(Thread.interrupted()).isTrue();
		turn.begin();
	}

	@ControlledTest
	abstract static class Case {

		@Autowired
		LeaderElection elections;

		@Autowired
		LeadershipControl leadership;

		@Autowired
		TestTurn turn;

		/** Assert that the test runs alone from its first to its last method. */
		void assertAlone(boolean leads) {
			assertThat(running.incrementAndGet()).isEqualTo(1);
			threads.add(Thread.currentThread());
			contexts.add(this.elections);
			if (run.incrementAndGet() == 1) {
				// Otherwise the tests would not have met at all.
				await().atMost(LONG).until(this.turn::isAwaited);
			}
			assertThat(this.elections.isLeader("x")).isEqualTo(leads);
			if (leads) {
				this.leadership.revoke("x");
			}
			else {
				this.leadership.grant("x");
			}
			assertThat(this.elections.isLeader("x")).isEqualTo(!leads);
			assertThat(running.getAndDecrement()).isEqualTo(1);
		}

	}

	@Execution(ExecutionMode.CONCURRENT)
	@WithLeadership("x")
	static class LeaderCase extends Case {

		@RepeatedTest(20)
		void leads() {
			assertAlone(true);
		}

	}

	@Execution(ExecutionMode.CONCURRENT)
	@WithoutLeadership("x")
	static class FollowerCase extends Case {

		@RepeatedTest(20)
		void follows() {
			assertAlone(false);
		}

	}

}
