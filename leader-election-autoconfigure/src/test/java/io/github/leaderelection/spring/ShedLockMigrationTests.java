package io.github.leaderelection.spring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.LeaderOnly;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * While an application migrates from ShedLock, its jobs have both annotations. The gate
 * must be passed first: a follower that took the lock would keep the leader from running.
 */
class ShedLockMigrationTests {

	private final Locks locks = new Locks();

	private final ApplicationContextRunner runner = GateRunner.follower()
		.withBean(Locks.class, () -> this.locks)
		.withBean(Report.class);

	@Test
	void followerDoesNotAskForTheLock() {
		this.runner.withUserConfiguration(Locking.class).run((context) -> {
			context.getBean(Report.class).run();
			assertThat(this.locks.asked).isEmpty();
			assertThat(context.getBean(Report.class).runs()).isZero();
		});
	}

	@Test
	void leaderRunsWithTheLock() {
		this.runner.withUserConfiguration(Locking.class).run((context) -> {
			GateRunner.gate(context).leading("report");
			context.getBean(Report.class).run();
			assertThat(this.locks.asked).containsExactly("report");
			assertThat(context.getBean(Report.class).runs()).isEqualTo(1);
		});
	}

	@Test
	void leaderDoesNotRunWithoutTheLock() {
		this.runner.withUserConfiguration(Locking.class).run((context) -> {
			GateRunner.gate(context).leading("report");
			this.locks.held = true;
			context.getBean(Report.class).run();
			assertThat(context.getBean(Report.class).runs()).isZero();
		});
	}

	@Test
	void gateThatWasMovedInsideLetsAFollowerTakeTheLock() {
		this.runner.withUserConfiguration(LockingOutside.class)
			.withPropertyValues("leader-election.gate.order=1")
			.run((context) -> {
				context.getBean(Report.class).run();
				assertThat(this.locks.asked).containsExactly("report");
				assertThat(context.getBean(Report.class).runs()).isZero();
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Locking {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m", order = 0)
	static class LockingOutside {

	}

	static class Report {

		private int runs;

		@SchedulerLock(name = "report")
		@LeaderOnly("report")
		public void run() {
			this.runs++;
		}

		public int runs() {
			return this.runs;
		}

	}

	/** One lock, of which it is known whether it was asked for. */
	static class Locks implements LockProvider {

		private final List<String> asked = new CopyOnWriteArrayList<>();

		private boolean held;

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			this.asked.add(configuration.getName());
			return this.held ? Optional.empty() : Optional.of(() -> {
			});
		}

	}

}
