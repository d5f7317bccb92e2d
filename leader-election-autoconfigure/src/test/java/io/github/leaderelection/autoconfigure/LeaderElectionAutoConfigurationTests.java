package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.RecordingCandidate;
import io.github.leaderelection.spring.ElectionEventPublisher;
import io.github.leaderelection.spring.EnableLeaderElection;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.spring.LeaderElectionLifecycle;
import io.github.leaderelection.spring.LeaderOnlyPostProcessor;
import io.github.leaderelection.spring.bound.BoundComponents;
import io.github.leaderelection.spring.event.DefeatedEvent;
import io.github.leaderelection.spring.event.ElectedEvent;
import io.github.leaderelection.spring.event.LeaderChangedEvent;
import io.github.leaderelection.spring.event.LeaderElectionEvent;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link LeaderElectionAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionAutoConfigurationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withoutStore.withBean(RecordStores.class,
			InMemoryRecordStores::new);

	/** The annotation is redundant here, and harmless. */
	@Test
	void enableLeaderElectionAddsNoDuplicateBeans() {
		this.contextRunner.withUserConfiguration(Enabled.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(List.of(LeaderElection.class, LeaderElectionLifecycle.class, ElectionEventPublisher.class,
					JobSettings.class, LeaderOnlyPostProcessor.class, BoundComponents.class))
				.allSatisfy((type) -> assertThat(context).hasSingleBean(type));
		});
	}

	@Test
	void instanceIsListedAsCandidateUntilClosed() {
		RecordStores stores = new InMemoryRecordStores();
		CandidateRegistry registry = new CandidateRegistry(stores, "");
		Properties build = new Properties();
		build.setProperty("version", "1.4.2");
		this.withoutStore.withBean(RecordStores.class, () -> stores)
			.withBean(LeaseStore.class, () -> LeaseStore.forLocks(new InMemoryRecordStores(), ""))
			.withBean(BuildProperties.class, () -> new BuildProperties(build))
			.withPropertyValues("leader-election.elections.x.stand=true",
					"leader-election.candidate.address=http://web-1:8080")
			.run((context) -> {
				await().atMost(LONG).until(() -> !registry.findAll(LONG).isEmpty());
				CandidateRecord candidate = registry.findAll(LONG).get(0);
				assertThat(candidate.id()).isEqualTo(context.getBean(LeaderElection.class).candidateId());
				assertThat(candidate.version()).isEqualTo("1.4.2");
				assertThat(candidate.address()).isEqualTo("http://web-1:8080");
				assertThat(candidate.elections()).containsExactly("x");
				LeaseStore kept = LeaseStore.forElections(stores, "");
				await().atMost(LONG).until(() -> !kept.read(List.of("x"), List.of(), LONG).leases().isEmpty());
			});
		assertThat(registry.findAll(LONG)).isEmpty();
	}

	@Test
	void candidateBeansThatInjectLeaderElectionAreElectedAndDefeated() {
		RecordingCandidate first = new RecordingCandidate("x");
		AtomicReference<RecordingCandidate> injected = new AtomicReference<>();
		this.contextRunner.withBean("first", Candidate.class, () -> first)
			.withBean("second", InjectedCandidate.class)
			.run((context) -> {
				RecordingCandidate second = context.getBean(InjectedCandidate.class);
				injected.set(second);
				assertThat(context.getBean(LeaderElection.class).elections()).containsExactlyInAnyOrder("x", "y");
				await().atMost(LONG).until(() -> !first.events().isEmpty() && !second.events().isEmpty());
				assertThat(first.thread().getName()).startsWith("leader-election-callback-");
				assertThat(first.thread().isDaemon()).isTrue();
			});
		assertThat(first.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(injected.get().events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
	}

	@Test
	void candidateWithoutAnElectionFailsTheStart() {
		this.contextRunner.withBean(Candidate.class, () -> new RecordingCandidate(" "))
			.run((context) -> FailureAnalyses.assertFailure(context,
					"The candidate %s can't take part in an election: Election name ' ' is blank. Give the "
						.formatted(RecordingCandidate.class.getName()) + "election a name.",
					"Correct the name that its election() method returns, and register each candidate once."));
		this.contextRunner.withBean(Candidate.class, () -> new RecordingCandidate(null))
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.contains("Its election is null. Return the name of an election"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "leader-election.ttl", "leader-election.elections.x.ttl",
			"leader-election.elections.[a/b].safety-margin", "leader-election.locks.ttl" })
	void missingUnitOfADurationIsExplained(String key) {
		assertThat(actionFor(key + "=5")).endsWith(" A number without a unit means milliseconds.");
		assertThat(actionFor(key + "=172800000")).doesNotContain("without a unit");
	}

	@Test
	void unitIsNotMentionedForOtherNumbers() {
		assertThat(actionFor("leader-election.prefix=12345",
				"leader-election.elections." + "n".repeat(198) + ".stand=true"))
			.isEqualTo("Use at most 200 characters for both together.");
	}

	private String actionFor(String... properties) {
		AtomicReference<String> action = new AtomicReference<>();
		this.contextRunner.withPropertyValues(properties)
			.run((context) -> action.set(FailureAnalyses.of(context).getAction()));
		return action.get();
	}

	@Test
	void invalidSettingFailsTheStartOfADisabledApplicationToo() {
		this.withoutStore.withPropertyValues("leader-election.enabled=false", "leader-election.ttl=1ms")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription())
				.isEqualTo("leader-election.ttl (1 ms) must be between 100 ms and 1 d."));
	}

	@Test
	void missingStoreFailsTheStart() {
		this.withoutStore.run((context) -> {
			assertThat(context).getFailure().rootCause().isInstanceOf(NoLeaseStoreException.class);
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription())
				.isEqualTo("Leader election is enabled, but there is neither a MongoClient or MongoDatabaseFactory "
						+ "bean nor a bean of type io.github.leaderelection.store.RecordStores to keep its leases.");
			assertThat(analysis.getAction()).contains("spring-boot-starter-mongodb", "spring.mongodb.uri",
					"Declare a bean of type", "leader-election.enabled=false");
		});
	}

	@Test
	void disabledProcessLeadsByItself(CapturedOutput output) {
		RecordingCandidate candidate = new RecordingCandidate("x");
		this.withoutStore.withBean(Candidate.class, () -> candidate)
			.withPropertyValues("leader-election.enabled=false", "leader-election.cooldown=1h")
			.run((context) -> {
				await().atMost(LONG).until(() -> !candidate.events().isEmpty());
				assertThat(output).containsOnlyOnce("enabled=false): this process leads all elections");
				ElectionEngine engine = context.getBean(ElectionEngine.class);
				assertThat(engine.resign("x")).isTrue();
				engine.stand("y");
				await().atMost(LONG).until(() -> engine.isLeader("y"));
				assertThat(engine.isLeader("x")).isFalse();
			});
		assertThat(candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
	}

	@Test
	void disabledProcessDoesNotUseAnExistingStore() {
		RecordStores stores = mock();
		this.withoutStore.withBean(RecordStores.class, () -> stores)
			.withPropertyValues("leader-election.enabled=false", "leader-election.elections.x.ttl=10s",
					"leader-election.elections.x.stand=true")
			.run((context) -> await().atMost(LONG).until(() -> context.getBean(LeaderElection.class).isLeader("x")));
		verifyNoInteractions(stores);
	}

	@Test
	void disabledProcessInSkipModeLeadsNothing(CapturedOutput output) {
		RecordingCandidate candidate = new RecordingCandidate("x");
		this.withoutStore.withBean(Candidate.class, () -> candidate)
			.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=skip")
			.run((context) -> {
				LeaderElection leaderElection = context.getBean(LeaderElection.class);
				assertThat(leaderElection.isLeader("x")).isFalse();
				assertThat(leaderElection.leader("x")).isEmpty();
				assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
					.doesNotContain("leader-election-loop");
				assertThat(output).containsOnlyOnce("enabled=false): this process leads no election");
			});
		assertThat(candidate.events()).isEmpty();
	}

	/** Even before anybody is elected. */
	@Test
	void gatedMethodsRunAndKnowTheirLeadershipWhileDisabled() {
		this.withoutStore.withBean(Gated.class)
			.withUserConfiguration(EarlyCaller.class)
			.withPropertyValues("leader-election.enabled=false")
			.run((context) -> {
				assertThat(context.getBean(String.class)).isEqualTo("ran");
				assertThat(context.getBean(Gated.class).term()).isEqualTo(1L);
				assertThat(context.getBean(Gated.class).reactiveTerm().block()).isEqualTo(1L);
			});
	}

	@Test
	void backsOffForLeaderElectionOfTheApplication() {
		this.contextRunner.withBean(LeaderElection.class, () -> mock())
			.run((context) -> assertThat(context).hasSingleBean(LeaderElection.class)
				.doesNotHaveBean(ElectionEngine.class)
				.doesNotHaveBean(LeaderElectionLifecycle.class)
				.doesNotHaveBean(ElectionEventPublisher.class));
	}

	@Test
	void addsNoExecutorToTheApplication() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.run((context) -> assertThat(context).getBeanNames(Executor.class)
				.containsExactly("applicationTaskExecutor"));
	}

	@ParameterizedTest
	@EnabledForJreRange(min = JRE.JAVA_21)
	@ValueSource(booleans = { true, false })
	void callbacksRunOnVirtualThreadsIfEnabled(boolean virtual) throws Exception {
		RecordingCandidate candidate = new RecordingCandidate("x");
		this.contextRunner.withPropertyValues("spring.threads.virtual.enabled=" + virtual)
			.withBean(Candidate.class, () -> candidate)
			.run((context) -> await().atMost(LONG).until(() -> !candidate.events().isEmpty()));
		assertThat(candidate.thread().getName()).startsWith("leader-election-callback-");
		assertThat(Thread.class.getMethod("isVirtual").invoke(candidate.thread())).isEqualTo(virtual);
	}

	@Test
	void eventsArePublished() {
		List<LeaderElectionEvent> events = new CopyOnWriteArrayList<>();
		this.contextRunner.withUserConfiguration(Listeners.class)
			.withBean("events", List.class, () -> events)
			.withPropertyValues("leader-election.elections.x.stand=true")
			.run((context) -> {
				await().atMost(LONG).until(() -> !of(ElectedEvent.class, events).isEmpty());
				LeaderElection leaderElection = context.getBean(LeaderElection.class);
				await().atMost(LONG).until(() -> !of(LeaderChangedEvent.class, events).isEmpty());
				ElectedEvent elected = of(ElectedEvent.class, events).get(0);
				assertThat(elected.election()).isEqualTo("x");
				assertThat(elected.leadership().term()).isEqualTo(1);
				LeaderChangedEvent changed = of(LeaderChangedEvent.class, events).get(0);
				assertThat(changed.previous()).isNull();
				assertThat(changed.current()).isEqualTo(leaderElection.candidateId());
			});
		assertThat(of(DefeatedEvent.class, events)).singleElement()
			.satisfies((event) -> assertThat(event.reason().name()).isEqualTo("SHUTDOWN"));
		assertThat(of(ElectedEvent.class, events)).hasSize(1);
	}

	@Test
	void drainTimeoutBeyondShutdownPhaseCausesWarning(CapturedOutput output) {
		this.contextRunner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=10s")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("leader-election drain-timeout (25 s) is not shorter than "
						+ "spring.lifecycle.timeout-per-shutdown-phase (10 s)"));
	}

	private static <E> List<E> of(Class<E> type, List<LeaderElectionEvent> events) {
		return events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	static class Gated {

		private final LeaderElection elections;

		Gated(LeaderElection elections) {
			this.elections = elections;
		}

		@LeaderOnly("gated")
		public Long term() {
			return this.elections.currentLeadership().term();
		}

		@LeaderOnly("gated")
		public Mono<Long> reactiveTerm() {
			return Mono.deferContextual((context) -> Mono.just(context.get(Leadership.class).term()));
		}

		@LeaderOnly("gated")
		public String run() {
			return "ran";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyCaller {

		@Bean
		String result(Gated gated) {
			return gated.run();
		}

	}

	static class InjectedCandidate extends RecordingCandidate {

		InjectedCandidate(LeaderElection elections) {
			super("y");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableLeaderElection
	static class Enabled {

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final List<LeaderElectionEvent> events;

		Listeners(List<LeaderElectionEvent> events) {
			this.events = events;
		}

		@EventListener
		@Order(1)
		void on(LeaderElectionEvent event) {
			this.events.add(event);
		}

	}

}
