package io.github.leaderelection.health;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.mongodb.DocumentedRoles;
import io.github.leaderelection.mongodb.SecuredMongo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What health shows of a database user that may do less than is needed.
 */
@Tag("deep")
class MissingPrivilegeHealthTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static SecuredMongo mongo;

	private final Deque<AutoCloseable> resources = new ArrayDeque<>();

	@BeforeAll
	static void start() {
		mongo = new SecuredMongo();
	}

	@AfterAll
	static void stop() {
		mongo.close();
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	@Test
	void whoMayOnlyReadIsDownThoughAnotherLeads() {
		mongo.createUser("reader", "secret");
		mongo.allow("reader", "reading", Map.of(MongoStores.LEASES, List.of("find", "changeStream"),
				MongoStores.SESSIONS, List.of("find"), MongoStores.CANDIDATES, List.of("find")));
		mongo.createUser("leader", "secret");
		mongo.allow("leader", "reading", DocumentedRoles.actions());
		ElectionEngine leader = engine("leader", "reading");
		await().atMost(LONG).until(() -> leader.isLeader("x"));
		ElectionEngine reader = engine("reader", "reading");
		await().atMost(LONG).until(() -> reader.leader("x").equals(Optional.of(leader.candidateId())));
		// It could not take over: without a session nobody leads.
		await().atMost(LONG).until(() -> health(reader).getStatus().equals(Status.DOWN));
		assertThat(health(reader).getDetails().get("unreachableBecause")).asString()
			.contains("leader_election_sessions", "insert");
		mongo.allow("reader", "reading", DocumentedRoles.actions());
		await().atMost(LONG).until(() -> health(reader).getStatus().equals(Status.UP));
		leader.close();
		await().atMost(LONG).until(() -> reader.isLeader("x"));
	}

	@Test
	void whoMayDoNothingIsDown() {
		mongo.createUser("stranger", "secret");
		ElectionEngine engine = engine("stranger", "strange");
		await().atMost(LONG).until(() -> health(engine).getStatus().equals(Status.DOWN));
	}

	private ElectionEngine engine(String user, String databaseName) {
		MongoClient client = MongoClients.create(mongo.uri(user, "secret", databaseName));
		this.resources.push(client);
		MongoDatabase database = client.getDatabase(databaseName);
		ElectionEngine engine = ElectionEngine.builder(MongoStores.leases(database))
			.registry(MongoStores.candidates(database))
			.application(user)
			.settings(ElectionSettings.of(Duration.ofSeconds(4)))
			.build();
		this.resources.push(engine);
		engine.stand("x");
		engine.start();
		return engine;
	}

	private static Health health(ElectionEngine engine) {
		return new LeaderElectionHealthIndicator(engine).health();
	}

}
