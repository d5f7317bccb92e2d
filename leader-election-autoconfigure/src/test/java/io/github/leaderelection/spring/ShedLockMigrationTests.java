package io.github.leaderelection.spring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.LeaderOnly;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock.InterceptMode;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.leaderelection.spring.JobContexts.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
	void onlyTheLeaderAsksForTheLock() {
		this.runner.withUserConfiguration(Locking.class).run((context) -> {
			context.getBean(Report.class).run();
			assertThat(this.locks.asked).isEmpty();
			assertThat(context.getBean(Report.class).runs()).isZero();
			GateRunner.gate(context).leading("report");
			context.getBean(Report.class).run();
			assertThat(this.locks.asked).containsExactly("report");
			assertThat(context.getBean(Report.class).runs()).isEqualTo(1);
			this.locks.held = true;
			context.getBean(Report.class).run();
			assertThat(context.getBean(Report.class).runs()).isEqualTo(1);
		});
	}

	@Test
	void followerTakesTheLockIfTheGateIsInsideIt() {
		this.runner.withUserConfiguration(LockingOutside.class)
			.withPropertyValues("leader-election.gate.order=1")
			.run((context) -> {
				context.getBean(Report.class).run();
				assertThat(this.locks.asked).containsExactly("report");
				assertThat(context.getBean(Report.class).runs()).isZero();
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void proxiedSchedulersLockTheirTasks(boolean enabled) {
		this.locks.held = true;
		JobContexts contexts = new JobContexts();
		contexts.instance()
			.withPropertyValues("leader-election.enabled=" + enabled)
			.withUserConfiguration(LockingSchedulers.class)
			.withBean(Locks.class, () -> this.locks)
			.withBean(Reports.class)
			.run((context) -> {
				Reports reports = context.getBean(Reports.class);
				await().atMost(LONG).until(() -> this.locks.asked.containsAll(List.of("gated", "ungated")));
				assertThat(reports.runs()).isEmpty();
				this.locks.held = false;
				// The gated job is recorded, the other is not.
				await().atMost(LONG)
					.until(() -> reports.threads().containsKey("Reports.gated") && reports.runs().contains(null));
			});
	}

	@SuppressWarnings("removal")
	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m", interceptMode = InterceptMode.PROXY_SCHEDULER)
	static class LockingSchedulers {

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

	static class Reports extends NotingJob {

		@SchedulerLock(name = "gated")
		@LeaderOnly
		@Scheduled(cron = "* * * * * *")
		public void gated() {
			note();
		}

		@SchedulerLock(name = "ungated")
		@Scheduled(cron = "* * * * * *")
		public void ungated() {
			note();
		}

	}

	/** A single lock that records the requests for it. */
	static class Locks implements LockProvider {

		private final List<String> asked = new CopyOnWriteArrayList<>();

		private volatile boolean held;

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			this.asked.add(configuration.getName());
			return this.held ? Optional.empty() : Optional.of(() -> {
			});
		}

	}

}
