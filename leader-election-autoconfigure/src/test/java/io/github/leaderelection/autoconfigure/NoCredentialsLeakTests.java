package io.github.leaderelection.autoconfigure;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.health.LeaderElectionHealthIndicator;
import io.github.leaderelection.mongodb.SecuredMongo;
import io.github.leaderelection.spring.event.LeaderElectionEvent;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that neither the password nor the connection string leaks, whatever MongoDB does:
 * not in logs at the finest level with all stack traces, nor in events, health,
 * exceptions or descriptions of objects.
 */
@ExtendWith({ OutputCaptureExtension.class, LogCapture.class })
class NoCredentialsLeakTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final String PASSWORD = "unmistakable/pass:word@1";

	private static final String ENCODED = URLEncoder.encode(PASSWORD, StandardCharsets.UTF_8);

	private static SecuredMongo mongo;

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	private CapturedLog log;

	@BeforeAll
	static void start() {
		mongo = new SecuredMongo();
		mongo.createUser("allowed", PASSWORD);
		mongo.createUser("stranger", PASSWORD);
		mongo.createUser("mistyped", "another");
		mongo.allow("allowed", "shop",
				Map.of("leader_election_leases", List.of("find", "insert", "update", "changeStream"),
						"leader_election_sessions", List.of("find", "insert", "update", "remove"),
						"leader_election_candidates", List.of("find", "insert", "update", "remove")));
	}

	@AfterAll
	static void stop() {
		mongo.close();
	}

	@BeforeEach
	void listen(CapturedLog captured) {
		this.log = captured;
		libraryLogger().setLevel(Level.TRACE);
	}

	@AfterEach
	void listenNoMore() {
		libraryLogger().setLevel(null);
	}

	@Test
	void whileAllIsWell(CapturedOutput output) {
		run(mongo.uri("allowed", ENCODED, "shop"), output, (context) -> {
			ElectionEngine engine = context.getBean(ElectionEngine.class);
			await().atMost(LONG).until(() -> engine.isLeader("x"));
			this.told.add(engine.leadership("x").orElseThrow().toString());
			engine.resign("x");
			await().atMost(LONG).until(() -> has("DefeatedEvent"));
		});
		assertThat(has("ElectedEvent")).isTrue();
	}

	@Test
	void whileThePasswordIsWrong(CapturedOutput output) {
		runUntilOut(mongo.uri("mistyped", ENCODED, "shop"), output);
		assertThat(has("MongoSecurityException")).isTrue();
	}

	@Test
	void whileTheUserMayDoNothing(CapturedOutput output) {
		runUntilOut(mongo.uri("stranger", ENCODED, "shop"), output);
		assertThat(has("Allow the database user to find there")).isTrue();
	}

	@Test
	@Tag("deep")
	void whileMongoGoesAwayAndComesBack(CapturedOutput output) {
		run(mongo.uri("allowed", ENCODED, "shop"), output, (context) -> {
			ElectionEngine engine = context.getBean(ElectionEngine.class);
			await().atMost(LONG).until(() -> engine.isLeader("x") && engine.status().pushed());
			mongo.replicaSet().kill();
			await().atMost(LONG).until(() -> has("Lost leadership"));
			addHealth(context);
			mongo.replicaSet().start();
			await().atMost(LONG).until(() -> has("reached again"));
		});
	}

	private void runUntilOut(String uri, CapturedOutput output) {
		run(uri, output, (context) -> {
			await().atMost(LONG).until(() -> has("Leases can't be reached"));
			await().atMost(LONG).until(() -> has("The watch of leases broke") || has("are not pushed"));
			addHealth(context);
			assertThat(has("unreachableBecause")).isTrue();
			addFailure(LeaseStore.forElections(context.getBean(RecordStores.class), ""));
		});
	}

	private void run(String uri, CapturedOutput output, Consumer<AssertableApplicationContext> scenario) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
					MongoLeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
					LeaderElectionHealthAutoConfiguration.class, MongoAutoConfiguration.class,
					DataMongoAutoConfiguration.class))
			.withBean(EventRecorder.class, () -> new EventRecorder(this.told))
			.withPropertyValues("spring.application.name=shop", "spring.mongodb.uri=" + uri,
					"leader-election.elections.x.ttl=3s", "leader-election.elections.x.stand=true")
			.run((context) -> {
				scenario.accept(context);
				addHealth(context);
				addBeans(context);
			});
		assertNothingLeaked(output);
	}

	private void addHealth(AssertableApplicationContext context) {
		this.told.add(context.getBean(LeaderElectionHealthIndicator.class).health().toString());
	}

	private void addBeans(AssertableApplicationContext context) {
		for (String name : context.getBeanDefinitionNames()) {
			Object bean = context.getBean(name);
			if (bean.getClass().getName().startsWith("io.github.leaderelection")) {
				this.told.add(bean.toString());
			}
		}
		this.told.add(context.getBean(ElectionEngine.class).status().toString());
	}

	private void addFailure(LeaseStore store) {
		try {
			store.read(List.of("x"), List.of(), Duration.ofSeconds(1));
		}
		catch (LeaseStoreException ex) {
			this.told.add(ThrowableProxyUtil.asString(new ThrowableProxy(ex)));
		}
	}

	private void assertNothingLeaked(CapturedOutput output) {
		this.told.addAll(List.of(output.toString(), this.log.toString()));
		assertThat(String.join("\n", this.told)).doesNotContain(PASSWORD, ENCODED, "mongodb://");
	}

	private boolean has(String text) {
		return this.log.toString().contains(text) || this.told.stream().anyMatch((each) -> each.contains(text));
	}

	private static Logger libraryLogger() {
		return (Logger) LoggerFactory.getLogger("io.github.leaderelection");
	}

	/** Records the descriptions of events. */
	static class EventRecorder {

		private final Queue<String> told;

		EventRecorder(Queue<String> told) {
			this.told = told;
		}

		@EventListener
		void on(LeaderElectionEvent event) {
			this.told.add(event.getClass().getSimpleName() + " " + event);
		}

	}

}
