package io.github.leaderelection.autoconfigure;

import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineObserver;
import io.github.leaderelection.metrics.LeaderElectionMetrics;
import io.github.leaderelection.metrics.RecordedJobMetrics;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionMetricsAutoConfiguration}.
 */
class LeaderElectionMetricsAutoConfigurationTests {

	private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, LeaderElectionMetricsAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withPropertyValues("leader-election.elections.configured.ttl=10s",
				"leader-election.elections.configured.stand=true");

	private final ApplicationContextRunner contextRunner = this.withoutRegistry
		.withConfiguration(
				AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
		.withBean("first", MeterRegistry.class, SimpleMeterRegistry::new);

	@Test
	void isThereByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LeaderElectionMetrics.class)
			.hasSingleBean(RecordedJobMetrics.class));
	}

	@Test
	void isNotThereWhenDisabled() {
		this.contextRunner.withPropertyValues("leader-election.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElectionMetrics.class));
	}

	@Test
	void isNotThereWithoutRegistry() {
		this.withoutRegistry
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElectionMetrics.class));
	}

	@Test
	void isNotThereWithoutMicrometer() {
		this.withoutRegistry.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderElectionMetrics"));
	}

	@Test
	void isNotThereWithoutBootsMetrics() {
		this.withoutRegistry.withBean(SimpleMeterRegistry.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.micrometer.metrics"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderElectionMetrics"));
	}

	@Test
	void backsOff() {
		LeaderElectionMetrics own = new LeaderElectionMetrics(() -> null);
		this.contextRunner.withBean(LeaderElectionMetrics.class, () -> own)
			.run((context) -> assertThat(context).getBean(LeaderElectionMetrics.class).isSameAs(own));
	}

	@Test
	void mockInPlaceOfTheEngineHasNoMetrics() {
		this.contextRunner.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
			BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
			registry.removeBeanDefinition("leaderElection");
			beanFactory.registerSingleton("leaderElection", Mockito.mock(LeaderElection.class));
		})).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(elections(context.getBean(MeterRegistry.class))).isEmpty();
		});
	}

	@Test
	void metersAreThereBeforeAnythingIsMeasured() {
		this.contextRunner.withBean(Job.class)
			.withBean(RecordingCandidate.class, () -> new RecordingCandidate("candidate"))
			.run((context) -> assertThat(elections(context.getBean(MeterRegistry.class)))
				.containsExactlyInAnyOrder("configured", "annotated", "candidate"));
	}

	@Test
	void metersAreInEachRegistry() {
		this.contextRunner.withBean("second", MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			LeaderElection leaderElection = context.getBean(LeaderElection.class);
			await().until(() -> leaderElection.isLeader("configured"));
			for (String name : Set.of("first", "second")) {
				MeterRegistry registry = context.getBean(name, MeterRegistry.class);
				await().until(() -> registry.get("leader.election.transitions")
					.tags("election", "configured", "reason", "elected")
					.counter()
					.count() == 1);
			}
		});
	}

	@Test
	void electionThatIsWonBeforeItIsHeardOfIsMeasured() {
		CountDownLatch elected = new CountDownLatch(1);
		EngineObserver slow = new EngineObserver() {

			@Override
			public void onStand(String election) {
				if (election.equals("quick")) {
					awaitQuietly(elected);
				}
			}

			@Override
			public void onDefeated(Leadership leadership) {
				elected.countDown();
			}

		};
		this.contextRunner.withBean("slow", EngineObserver.class, () -> slow).run((context) -> {
			LeaderElection leaderElection = context.getBean(LeaderElection.class);
			RecordingCandidate quick = new RecordingCandidate("quick");
			Thread registering = new Thread(() -> leaderElection.register(quick));
			registering.start();
			await().until(() -> leaderElection.elections().contains("quick") && leaderElection.isLeader("quick"));
			leaderElection.pause("quick");
			registering.join();
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			await().until(() -> gauge(registry, "leader.election.paused", "quick") == 1);
			await().until(() -> gauge(registry, "leader.election.candidates", "quick") == 0);
			await().until(() -> registry.get("leader.election.transitions")
				.tags("election", "quick", "reason", "elected")
				.counter()
				.count() >= 1);
			leaderElection.resume("quick");
			await().until(() -> gauge(registry, "leader.election.paused", "quick") == 0);
			await().until(() -> gauge(registry, "leader.election.candidates", "quick") == 1);
		});
	}

	private static double gauge(MeterRegistry registry, String name, String election) {
		return registry.get(name).tags("election", election).gauge().value();
	}

	@Test
	void metersOfScheduledJobsAreThereBeforeTheyRun() {
		this.contextRunner.withBean("second", MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(YearlyJob.class)
			.withUserConfiguration(Scheduling.class)
			.run((context) -> {
				for (MeterRegistry registry : Set.of(context.getBean("first", MeterRegistry.class),
						context.getBean("second", MeterRegistry.class))) {
					assertThat(registry.get("leader.election.job.late")
						.tags("election", "yearly", "name", "report")
						.timer()
						.count()).isZero();
					await().until(() -> registry.get("leader.election.job.next").timeGauge().value() > 0);
				}
			});
	}

	@Test
	void electionsThatAreLeftTakeTheirMetersWithThem() {
		this.contextRunner.run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			LeaderElection leaderElection = context.getBean(LeaderElection.class);
			long before = metersFromTheStart(registry);
			for (int i = 0; i < 5; i++) {
				RecordingCandidate guest = new RecordingCandidate("guest-" + i);
				leaderElection.register(guest);
				assertThat(elections(registry)).containsExactlyInAnyOrder("configured", guest.election());
				leaderElection.unregister(guest);
				await().until(() -> !leaderElection.elections().contains(guest.election()));
			}
			assertThat(metersFromTheStart(registry)).isLessThanOrEqualTo(2 * before);
		});
	}

	/** Timers come when something has happened for the first time. */
	private static long metersFromTheStart(MeterRegistry registry) {
		return registry.getMeters().stream().filter((meter) -> !(meter instanceof Timer)).count();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Set<String> elections(MeterRegistry registry) {
		return registry.getMeters()
			.stream()
			.map(Meter::getId)
			.map((id) -> id.getTag("election"))
			.filter((election) -> election != null)
			.collect(Collectors.toSet());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class YearlyJob {

		@Scheduled(cron = "0 0 10 1 1 *")
		@LeaderOnly(value = "yearly", job = "report")
		void run() {
		}

	}

	static class Job {

		@LeaderOnly("annotated")
		void run() {
		}

	}

}
