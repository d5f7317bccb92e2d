package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import io.github.leaderelection.LeaderElection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mongodb.MongoDBContainer;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Configuration;

import static org.awaitility.Awaitility.await;

/**
 * Test of the auto-configuration on MongoDB in a container. Skipped where there is no
 * Docker.
 */
@Tag("deep")
@SpringBootTest(properties = { "leader-election.elections.x.ttl=10s", "leader-election.elections.x.stand=true" })
@Testcontainers(disabledWithoutDocker = true)
class LeaderElectionOnContainerTests {

	@Container
	@ServiceConnection
	static final MongoDBContainer mongo = new MongoDBContainer("mongo:8.0.4").withReplicaSet();

	@Autowired
	private LeaderElection leaderElection;

	@Test
	void leadsByTheConnectionOfTheContainer() {
		await().atMost(Duration.ofSeconds(30)).until(() -> this.leaderElection.isLeader("x"));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ MongoAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
			LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	static class Application {

	}

}
