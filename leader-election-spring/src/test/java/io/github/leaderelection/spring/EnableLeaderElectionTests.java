package io.github.leaderelection.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Candidate;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.spring.event.ElectedEvent;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EnableLeaderElection}, without Spring Boot.
 */
@Timeout(120)
class EnableLeaderElectionTests {

	private static final Path SOURCE = Path.of("src/test/java/io/github/leaderelection/spring/Invoicing.java");

	private static final Path PAGE = Path.of("../docs/without-spring.md");

	private final InMemoryRecordStores stores = new InMemoryRecordStores();

	@Test
	void springBootIsNotOnTheClassPath() {
		assertThat(ClassUtils.isPresent("org.springframework.boot.SpringApplication", null)).isFalse();
	}

	@Test
	void oneOfTwoContextsLeadsAndHandsOver() {
		try (AnnotationConfigApplicationContext second = new AnnotationConfigApplicationContext()) {
			try (AnnotationConfigApplicationContext first = start(new AnnotationConfigApplicationContext())) {
				await().until(() -> first.getBean(LeaderElection.class).isLeader("reports"));
				start(second);
				assertThat(first.getBean(Reports.class).write()).isEqualTo(1);
				assertThatExceptionOfType(NotLeaderException.class).isThrownBy(second.getBean(Reports.class)::write);
				assertThat(first.getBean(Poller.class).isRunning()).isTrue();
				assertThat(second.getBean(Poller.class).isRunning()).isFalse();
			}
			Reports reports = second.getBean(Reports.class);
			await().until(() -> second.getBean(Poller.class).isRunning());
			await().until(() -> reports.events().containsAll(List.of("elected 2", "event 2")));
			assertThat(reports.write()).isEqualTo(2);
		}
	}

	@Test
	void runsOfJobsAreRecorded() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(ElectionEngineBuilder.class,
				() -> ElectionEngine.builder(LeaseStore.forElections(this.stores, ""))
					.settings("reports", ElectionSettings.of(Duration.ofMinutes(5))));
		try (context) {
			start(context);
			await().until(() -> context.getBean(Reports.class).ticks() > 0);
			JobRuns jobs = context.getBean(JobRuns.class);
			assertThat(jobs.run("reports", "tick", Instant.EPOCH, (run) -> {
			})).isEqualTo(JobRuns.Result.ALREADY_RUN);
			assertThat(context.getBean(RecordedJobs.class).status())
				.extracting((status) -> status.job().startingDeadline())
				.containsExactly(Duration.ofMinutes(15));
		}
	}

	@Test
	void beanThatCannotBeGatedIsRefused() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> new AnnotationConfigApplicationContext(Application.class, Final.class))
			.havingCause()
			.isInstanceOf(InvalidLeaderOnlyException.class);
	}

	@Test
	void nameAndPrefixComeFromTheEnvironment() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test",
					Map.of("spring.application.name", "shop", "leader-election.prefix", "eu-")));
		try (context) {
			start(context);
			assertThat(context.getBean(ElectionEngine.class).candidateId()).startsWith("shop@");
			assertThat(context.getBean(GateSettings.class).defaultElection()).isEqualTo("shop");
		}
	}

	@Test
	void exampleSendsInvoicesOnTheLeader() {
		String name = SharedMongo.uniqueDatabase();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(
					new MapPropertySource("test", Map.of("mongodb.uri", SharedMongo.uri(), "mongodb.database", name)));
		context.register(Invoicing.class);
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			MongoDatabase database = client.getDatabase(name);
			try (context) {
				context.refresh();
				await().atMost(Duration.ofSeconds(60))
					.until(() -> database.getCollection("invoices").countDocuments() > 1);
			}
			Document lease = database.getCollection("leader_election_leases").find().first();
			assertThat(lease).containsEntry("_id", "invoices").containsEntry("holder", null);
			database.drop();
		}
	}

	@Test
	void pageShowsTheTestedCode() throws IOException {
		String source = Files.readString(SOURCE);
		assertThat(Files.readString(PAGE)).contains(source.substring(source.indexOf("@Configuration")));
	}

	private AnnotationConfigApplicationContext start(AnnotationConfigApplicationContext context) {
		context.registerBean(RecordStores.class, () -> this.stores);
		context.register(Application.class, Reports.class, Poller.class);
		context.refresh();
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableLeaderElection
	@EnableScheduling
	static class Application {

	}

	static class Reports implements Candidate {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final AtomicInteger ticks = new AtomicInteger();

		private volatile long term;

		@Override
		public String election() {
			return "reports";
		}

		@Override
		public void onElected(Leadership leadership) {
			this.term = leadership.term();
			this.events.add("elected " + leadership.term());
		}

		@EventListener
		public void on(ElectedEvent event) {
			this.events.add("event " + event.leadership().term());
		}

		public List<String> events() {
			return this.events;
		}

		public int ticks() {
			return this.ticks.get();
		}

		@LeaderOnly(value = "reports", otherwise = LeaderOnly.Otherwise.THROW)
		public long write() {
			return this.term;
		}

		@LeaderOnly(value = "reports", job = "tick")
		@Scheduled(cron = "* * * * * *")
		public void tick() {
			this.ticks.incrementAndGet();
		}

	}

	@LeaderOnly("reports")
	static class Poller implements Lifecycle {

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	static final class Final {

		@LeaderOnly("reports")
		public void run() {
		}

	}

}
