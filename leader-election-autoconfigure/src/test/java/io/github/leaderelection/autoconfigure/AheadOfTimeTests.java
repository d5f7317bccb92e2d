package io.github.leaderelection.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.actuate.ElectionsDescriptor;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.bound.Recorded;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStores;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.aop.support.AopUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.javapoet.ClassName;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the code that is generated ahead of time, and of the hints for native images.
 */
class AheadOfTimeTests {

	private static final List<String> PROPERTIES = List.of("spring.application.name=shop",
			"leader-election.elections.night.ttl=7s", "leader-election.elections.night.stand=true",
			"management.endpoints.web.exposure.include=leaderelection");

	private final TestGenerationContext generated = new TestGenerationContext();

	@Test
	@Tag("deep")
	@CompileWithForkedClassLoader
	@SuppressWarnings("unchecked")
	void generatedContextElectsAndGates() {
		ClassName initializer = process();
		TestCompiler.forSystem().with(this.generated).compile((compiled) -> {
			try (GenericApplicationContext context = new GenericApplicationContext()) {
				TestPropertyValues.of(PROPERTIES).applyTo(context);
				compiled.getInstance(ApplicationContextInitializer.class, initializer.canonicalName())
					.initialize(context);
				context.refresh();
				assertThatItElectsAndGates(context);
			}
		});
	}

	private static void assertThatItElectsAndGates(ConfigurableApplicationContext context) {
		Jobs jobs = context.getBean(Jobs.class);
		LeaderElection elections = context.getBean(LeaderElection.class);
		assertThat(AopUtils.isCglibProxy(jobs)).isTrue();
		assertThat(context.getBean(ElectionSettingsResolver.class).settings("night").ttl()).hasSeconds(7);
		Awaitility.await().until(() -> elections.isLeader("night") && elections.isLeader("shop"));
		assertThat(jobs.report()).isEqualTo("done");
		JobRuns jobRuns = context.getBean(JobRuns.class);
		jobRuns.trigger("shop", "Yearly.recorded");
		Awaitility.await().until(() -> context.getBean(Yearly.class).runs().get() == 1);
		Awaitility.await().until(() -> context.getBean("byClass", Listening.class).isRunning());
		Awaitility.await().until(() -> context.getBean("byMethod", Recorded.Smart.class).isRunning());
		assertThat(context.getBean("byMethod", Recorded.Smart.class).isAutoStartup()).isFalse();
		assertThat(elections.resign("night")).isTrue();
		Awaitility.await().until(() -> !elections.isLeader("night"));
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::report);
	}

	@Test
	void nativeHintsCoverGatedBoundAndShownTypes() throws Exception {
		process();
		RuntimeHints hints = this.generated.getRuntimeHints();
		for (Class<?> type : List.of(Jobs.class, InheritedJobs.class, JobsOfInterface.class, Listening.class,
				ElectionsDescriptor.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).as(type.getSimpleName()).accepts(hints);
		}
		for (Method method : List.of(Jobs.class.getDeclaredMethod("report"),
				InheritedJobs.class.getDeclaredMethod("inherited"), Heir.class.getDeclaredMethod("heritage"),
				Promised.class.getDeclaredMethod("promised"), Yearly.class.getDeclaredMethod("recorded"),
				Recorded.Smart.class.getDeclaredMethod("setAutoStartup", boolean.class),
				Application.class.getDeclaredMethod("byMethod"))) {
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method)).as(method.toString())
				.accepts(hints);
		}
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(InheritedJobs.class.getDeclaredMethod("ungated"))).rejects(hints);
		for (Class<?> type : List.of(LeaderElectionProperties.class, LeaderElectionProperties.Election.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
				.as(type.getName())
				.accepts(hints);
		}
	}

	@Test
	void nativeHintsCoverClassesLookedUpByName() {
		RuntimeHints hints = new RuntimeHints();
		new LeaderElectionRuntimeHints().registerHints(hints, getClass().getClassLoader());
		for (Class<?> type : List.of(Flux.class, HikariDataSource.class, MongoClient.class, MongoDatabaseFactory.class,
				MongoConnectionDetails.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).as(type.getName()).accepts(hints);
		}
		assertThat(RuntimeHintsPredicates.resource().forResource("io/github/leaderelection/jdbc/schema-postgresql.sql"))
			.accepts(hints);
	}

	private ClassName process() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of(PROPERTIES).applyTo(context);
		context.register(Application.class);
		context.register(AutoConfigurations.getClasses(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, LeaderElectionEndpointAutoConfiguration.class,
				EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class)));
		ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, this.generated);
		this.generated.writeGeneratedContent();
		return initializer;
	}

	@EnableScheduling
	@Configuration(proxyBeanMethods = false)
	@Import({ Jobs.class, Yearly.class, Heir.class, JobsOfInterface.class })
	static class Application {

		@Bean
		RecordStores stores() {
			return new InMemoryRecordStores();
		}

		@Bean
		RecordStore runStore() {
			return new InMemoryRecordStores().store(RecordedJobs.RUNS);
		}

		@Bean
		Listening byClass() {
			return new Listening();
		}

		@Bean
		@LeaderOnly("night")
		Recorded.Smart byMethod() {
			return new Recorded.Smart();
		}

	}

	static class Jobs {

		@LeaderOnly(value = "night", otherwise = LeaderOnly.Otherwise.THROW)
		String report() {
			return "done";
		}

	}

	static class Yearly {

		private final AtomicInteger runs = new AtomicInteger();

		@LeaderOnly(startingDeadline = "1h")
		@Scheduled(cron = "0 0 10 1 1 *")
		public void recorded() {
			this.runs.incrementAndGet();
		}

		AtomicInteger runs() {
			return this.runs;
		}

	}

	@LeaderOnly("night")
	static class Listening extends Recorded.Smart {

	}

	static class InheritedJobs {

		@LeaderOnly
		void inherited() {
		}

		void ungated() {
		}

	}

	static class Heir extends InheritedJobs {

		@LeaderOnly
		void heritage() {
		}

	}

	interface Promised {

		@LeaderOnly
		default void promised() {
		}

	}

	static class JobsOfInterface implements Promised {

	}

}
