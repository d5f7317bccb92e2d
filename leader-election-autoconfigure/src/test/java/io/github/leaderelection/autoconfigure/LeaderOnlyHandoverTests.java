package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordLeaseStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that two instances never run gated work at once on a graceful change, whatever
 * the shape of the work.
 */
class LeaderOnlyHandoverTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static LeaseStore store;

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	@AfterEach
	void closeContexts() {
		this.first.close();
		this.second.close();
	}

	@ParameterizedTest
	@EnumSource
	void nobodyElseLeadsBeforeWorkInFlightHasEnded(Shape shape) throws Exception {
		store = RecordLeaseStore.forElections(new InMemoryRecordStores(), "");
		this.first = start();
		Awaitility.await().atMost(LIMIT).until(() -> leads(this.first));
		this.second = start();
		Work work = new Work();
		shape.start(this.first.getBean(Jobs.class), work);
		work.begun.await();
		Thread closing = new Thread(this.first::close);
		closing.start();
		Jobs jobs = this.first.getBean(Jobs.class);
		Awaitility.await().atMost(LIMIT).until(() -> jobs.probe() == null);
		Awaitility.await()
			.during(Duration.ofMillis(300))
			.atMost(LIMIT)
			.until(() -> !leads(this.second) && closing.isAlive());
		work.end.countDown();
		Awaitility.await().atMost(LIMIT).until(() -> leads(this.second));
		closing.join();
		assertThat(work.interrupted).isFalse();
	}

	private static boolean leads(ConfigurableApplicationContext context) {
		return context.getBean(LeaderElection.class).isLeader("work");
	}

	private static ConfigurableApplicationContext start() {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setRegisterShutdownHook(false);
		return application.run("--spring.main.banner-mode=off");
	}

	private enum Shape {

		CALL((jobs, work) -> new Thread(() -> jobs.call(work)).start()),

		ASYNC_CALL(Jobs::asyncCall),

		STAGE(Jobs::stage),

		MONO((jobs, work) -> jobs.mono(work).subscribe());

		private final BiConsumer<Jobs, Work> start;

		Shape(BiConsumer<Jobs, Work> start) {
			this.start = start;
		}

		void start(Jobs jobs, Work work) {
			this.start.accept(jobs, work);
		}

	}

	private static final class Work {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		private volatile boolean interrupted;

		String perform() {
			this.begun.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				this.interrupted = true;
			}
			return "done";
		}

	}

	@LeaderOnly("work")
	static class Jobs {

		public String probe() {
			return "leading";
		}

		public void call(Work work) {
			work.perform();
		}

		@Async
		public void asyncCall(Work work) {
			work.perform();
		}

		public CompletableFuture<String> stage(Work work) {
			return CompletableFuture.supplyAsync(work::perform);
		}

		public Mono<String> mono(Work work) {
			return Mono.fromCallable(work::perform).subscribeOn(Schedulers.boundedElastic());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@ImportAutoConfiguration({ LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	@Import(Jobs.class)
	static class Application {

		@Bean
		LeaseStore leaseStore() {
			return store;
		}

	}

}
