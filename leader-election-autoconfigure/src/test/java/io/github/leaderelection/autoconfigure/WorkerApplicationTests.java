package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.launcher.SharedMongo;
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
 * Tests of an application that only schedules.
 */
class WorkerApplicationTests {

	@Test
	void jobsRunWithoutAWebServer() {
		List<Thread> others = libraryThreads().toList();
		try (ConfigurableApplicationContext worker = new SpringApplicationBuilder(Worker.class)
			.web(WebApplicationType.NONE)
			.properties("spring.application.name=worker", "spring.mongodb.uri=" + SharedMongo.uri(),
					"spring.mongodb.database=" + SharedMongo.uniqueDatabase())
			.run()) {
			assertThat(worker).isNotInstanceOf(WebServerApplicationContext.class);
			Set<Thread> threads = worker.getBean(Job.class).threads();
			await().until(() -> !threads.isEmpty());
			// The scheduler keeps the process alive: the threads of the library don't.
			assertThat(threads).noneMatch(Thread::isDaemon);
			assertThat(libraryThreads().filter((thread) -> !others.contains(thread))).isNotEmpty()
				.allMatch(Thread::isDaemon);
		}
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

		private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

		Set<Thread> threads() {
			return this.threads;
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly("night")
		void work() {
			this.threads.add(Thread.currentThread());
		}

	}

}
