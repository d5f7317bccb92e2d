package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.launcher.SharedMongo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of applications that only schedule: one, one after the other, and two at a time
 * in one JVM.
 */
class WorkerApplicationTests {

	private static final String ELECTION = "night";

	private final String database = SharedMongo.uniqueDatabase();

	private final List<Thread> others = libraryThreads().toList();

	private final List<ConfigurableApplicationContext> contexts = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void jobsRunWithoutAWebServer() {
		ConfigurableApplicationContext worker = start();
		assertThat(worker).isNotInstanceOf(WebServerApplicationContext.class);
		await().until(() -> job(worker).terms().contains(1L));
		// It is what keeps the process alive: the threads of the library don't.
		assertThat(job(worker).threads()).isNotEmpty().noneMatch(Thread::isDaemon);
		assertThat(ownThreads()).isNotEmpty().allMatch(Thread::isDaemon);
	}

	@Test
	@Tag("deep")
	void anApplicationCanBeStartedAgain() {
		ConfigurableApplicationContext first = start();
		Job job = job(first);
		String candidateId = candidateId(first);
		await().until(() -> job.terms().contains(1L));
		first.close();
		awaitEndOfThreads();
		ConfigurableApplicationContext second = start();
		await().until(() -> job(second).terms().contains(2L));
		assertThat(job.terms()).containsOnly(1L);
		assertThat(candidateId(second)).isNotEqualTo(candidateId);
	}

	/** The one that watches ends when the server says that nothing has happened. */
	private void awaitEndOfThreads() {
		await("end of threads").atMost(Duration.ofMinutes(1)).until(() -> ownThreads().isEmpty());
	}

	private ConfigurableApplicationContext start() {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Worker.class).web(WebApplicationType.NONE)
			.properties("spring.application.name=worker", "spring.mongodb.uri=" + SharedMongo.uri(),
					"spring.mongodb.database=" + this.database)
			.run();
		this.contexts.add(context);
		return context;
	}

	private static Job job(ConfigurableApplicationContext context) {
		return context.getBean(Job.class);
	}

	private static String candidateId(ConfigurableApplicationContext context) {
		return context.getBean(LeaderElection.class).candidateId();
	}

	/** The threads of the library that these tests have started. */
	private List<Thread> ownThreads() {
		return libraryThreads().filter((thread) -> !this.others.contains(thread)).toList();
	}

	private static Stream<Thread> libraryThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leader-election"));
	}

	@Import(Job.class)
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class Worker {

	}

	static class Job {

		private final LeaderElection elections;

		final List<Long> terms = new CopyOnWriteArrayList<>();

		final Set<Thread> threads = ConcurrentHashMap.newKeySet();

		Job(LeaderElection elections) {
			this.elections = elections;
		}

		List<Long> terms() {
			return this.terms;
		}

		Set<Thread> threads() {
			return this.threads;
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly(ELECTION)
		void work() {
			this.threads.add(Thread.currentThread());
			this.terms.add(this.elections.currentLeadership().term());
		}

	}

}
