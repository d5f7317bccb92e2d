package io.github.leaderelection.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.launcher.SupervisedProcess;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.RecordedCommands;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoReactiveAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.ReactiveMongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of applications that use the reactive driver, on a real MongoDB.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveDriverTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	/** What Boot configures when the starter is added to a reactive application. */
	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				MongoLeaderElectionAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, SslAutoConfiguration.class, MongoReactiveAutoConfiguration.class,
				DataMongoReactiveAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "spring.mongodb.uri=" + SharedMongo.uri(),
				"spring.mongodb.database=" + this.mongo.name(), "leader-election.elections.x.stand=true",
				"leader-election.drain-timeout=0s");

	@TempDir
	private Path directory;

	/** Without a synchronous client, the starter creates one. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void starterAloneIsSufficient(boolean synchronous, CapturedOutput output) {
		Class<?>[] more = { MongoAutoConfiguration.class, DataMongoAutoConfiguration.class };
		this.runner.withConfiguration(AutoConfigurations.of(synchronous ? more : new Class<?>[0])).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeansOfType(MongoClient.class)).hasSize(synchronous ? 1 : 0);
			assertThat(context.getBeansOfType(MongoDatabaseFactory.class)).hasSize(synchronous ? 1 : 0);
			assertThat(context.getBean(LeaseDatabase.class).ownClient() == null).isEqualTo(synchronous);
			assertLeads(context);
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(output).containsOnlyOnce("Leases are kept in database"));
		});
	}

	@Test
	void customizersApplyToTheCreatedClient() {
		RecordedCommands commands = new RecordedCommands();
		this.runner
			.withBean(MongoClientSettingsBuilderCustomizer.class,
					() -> (builder) -> builder.addCommandListener(commands))
			.run((context) -> {
				assertLeads(context);
				assertThat(commands.names()).contains("find");
				assertThat(commands.all())
					.anySatisfy((command) -> assertThat(command.toString()).contains("leader_election_leases"));
			});
	}

	@Test
	void settingsBeanAppliesToTheCreatedClient() {
		MongoClientSettings settings = MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(SharedMongo.uri()))
			.build();
		this.runner.withBean(MongoClientSettings.class, () -> settings)
			.withPropertyValues("spring.mongodb.uri=mongodb://127.0.0.1:1")
			.run(ReactiveDriverTests::assertLeads);
	}

	@Test
	void createdClientIsClosedWithTheContext() {
		this.runner.run((context) -> {
			LeaseDatabase leases = context.getBean(LeaseDatabase.class);
			context.close();
			assertThatIllegalStateException().isThrownBy(() -> leases.database().runCommand(new Document("ping", 1)))
				.withMessageContaining("open");
		});
	}

	@Test
	void clientOfTheApplicationIsNotClosed() {
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			new LeaseDatabase(client.getDatabase(this.mongo.name())).close();
			assertThat(client.getDatabase(this.mongo.name()).runCommand(new Document("ping", 1))).containsEntry("ok",
					1.0);
		}
	}

	/** In a separate process, since only there a class is really missing. */
	@Test
	void missingSynchronousDriverIsReportedUnlessDisabled() throws IOException {
		assertThat(startWithoutTheSynchronousDriver())
			.contains("APPLICATION FAILED TO START",
					"MongoDB's synchronous driver, which it needs, is not on the class path. leader-election",
					"Add org.mongodb:mongodb-driver-sync")
			.doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
		assertThat(startWithoutTheSynchronousDriver("--leader-election.enabled=false"))
			.contains("Started ReactiveDriverTests.Shop")
			.doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
	}

	private String startWithoutTheSynchronousDriver(String... arguments) throws IOException {
		Path log = this.directory.resolve("shop.log");
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("mongodb-driver-sync"))
			.collect(Collectors.joining(File.pathSeparator));
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", classPath, Shop.class.getName(), "--spring.application.name=shop",
						"--spring.mongodb.uri=" + SharedMongo.uri(), "--spring.mongodb.database=" + this.mongo.name()));
		command.addAll(List.of(arguments));
		SupervisedProcess process = SupervisedProcess.start(command, log);
		try {
			await().atMost(LONG).until(() -> !process.isAlive());
		}
		finally {
			process.kill();
		}
		return Files.readString(log);
	}

	private static void assertLeads(ApplicationContext context) {
		LeaderElection elections = context.getBean(LeaderElection.class);
		await().atMost(LONG).until(() -> elections.isLeader("x"));
		ReactiveMongoTemplate mongo = context.getBean(ReactiveMongoTemplate.class);
		assertThat(mongo.findById("x", Document.class, "leader_election_leases").block(LONG).getString("holder"))
			.startsWith(elections.candidateId() + "#");
	}

	/** Ends as soon as it has started. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		/**
		 * Start and end.
		 * @param args properties
		 */
		public static void main(String[] args) {
			new SpringApplicationBuilder(Shop.class).web(WebApplicationType.NONE).run(args).close();
		}

	}

}
