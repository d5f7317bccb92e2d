package io.github.leaderelection.fence;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.SupervisedProcess;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Stops a leader, or the holder of a lock, in the middle of a transaction or right before
 * a write. Another instance takes over and writes, then the first one continues. With the
 * fence nothing of the old term is visible afterwards; without it, something is.
 * <p>
 * Each instance is a separate process, stopped as by {@code SIGSTOP}. {@code stops} sets
 * the number of rounds, a few by default, and {@code seed} decides where.
 */
@Tag("deep")
class StoppedLeaderIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(StoppedLeaderIntegrationTests.class);

	private static final Path DIRECTORY = Path.of("target", "stopped-leaders").toAbsolutePath();

	/** The limit of rounds until damage is done. */
	private static final int MOST_ROUNDS = 10;

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	/** Each of these comes between the check of the clocks and the effect. */
	private static final List<String> FENCED = List.of("insert " + StoppedLeaderApplication.ENTRIES,
			"update leader_election_fences", "commitTransaction", "update " + StoppedLeaderApplication.REGISTER);

	private static final List<String> UNFENCED = List.of("insert " + StoppedLeaderApplication.ENTRIES,
			"update " + StoppedLeaderApplication.REGISTER);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void fencedFormerTermDoesNotOverwriteALaterOne(boolean locked) throws Exception {
		int rounds = Integer.getInteger("stops", 4);
		long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
		Random random = new Random(seed);
		try (Instances instances = new Instances(locked, true)) {
			for (int round = 0; round < rounds; round++) {
				String point = (round < FENCED.size()) ? FENCED.get(round) : FENCED.get(random.nextInt(FENCED.size()));
				assertThat(instances.damage(point))
					.as("%s, seed %d, round %d: stopped before %s", locked ? "lock" : "election", seed, round, point)
					.isEmpty();
			}
			logger.info("{}, seed {}: {} rounds, {} terms, {} transactions, nothing of a former term",
					locked ? "lock" : "election", seed, rounds, instances.terms(), instances.transactions());
		}
	}

	/**
	 * Otherwise the rounds above would prove nothing. Not every round does damage: a
	 * request that is sent too late may be given up.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void unfencedFormerTermOverwritesALaterOne(boolean locked) throws Exception {
		try (Instances instances = new Instances(locked, false)) {
			for (String point : UNFENCED) {
				boolean damaged = false;
				for (int round = 0; !damaged && round < MOST_ROUNDS; round++) {
					damaged = !instances.damage(point).isEmpty();
				}
				assertThat(damaged).as(point).isTrue();
			}
		}
	}

	/** Two instances, and the MongoDB that they write to. */
	private static final class Instances implements AutoCloseable {

		private final MongoReplicaSet mongo = MongoReplicaSet.start(1);

		private final List<SupervisedProcess> processes = new ArrayList<>();

		private final MongoClient client = MongoClients.create(this.mongo.uri());

		private final MongoDatabase database = this.client.getDatabase("work");

		Instances(boolean locked, boolean fenced) throws IOException {
			this.database.createCollection(StoppedLeaderApplication.ENTRIES);
			Files.createDirectories(DIRECTORY);
			for (String name : List.of("a", "b")) {
				this.processes.add(SupervisedProcess.start(
						List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
								"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-cp",
								System.getProperty("java.class.path"), StoppedLeaderApplication.class.getName(), name,
								"--fenced=" + fenced, "--locked=" + locked, "--leader-election.ttl=2s",
								"--leader-election.elections.work.stand=true", "--spring.application.name=work",
								"--spring.main.banner-mode=off", "--spring.main.web-application-type=none",
								"--spring.mongodb.uri=" + this.mongo.uri(), "--spring.mongodb.database=work"),
						DIRECTORY.resolve(name + "-" + locked + "-" + fenced + ".log")));
			}
		}

		/**
		 * Stop the leader before a command, let the other one take over and write, let
		 * the first continue, and return what the former term wrote after that.
		 */
		Set<Object> damage(String point) throws IOException, InterruptedException {
			Document leader = awaitLeader();
			Object name = leader.get("_id");
			// The next leader has to wait for a transaction that has passed the fence.
			giveUpTransactionsAfter(point.equals("commitTransaction") ? 3 : 60);
			instances().updateOne(Filters.eq(name), Updates.set("stopBefore", point));
			await("stop before " + point).atMost(PATIENCE).until(() -> isStopped(leader.getLong("pid")));
			long former = term();
			await("next leader").atMost(PATIENCE).until(() -> term() > former && registered() > former);
			long latter = term();
			Set<Object> before = entriesBefore(latter);
			int rounds = instances().find(Filters.eq(name)).first().getInteger("rounds");
			new ProcessBuilder("kill", "-CONT", String.valueOf(leader.getLong("pid"))).start().waitFor();
			await("former leader goes on").atMost(PATIENCE)
				.until(() -> instances().find(Filters.eq(name)).first().getInteger("rounds") > rounds + 1);
			Set<Object> damage = new HashSet<>(entriesBefore(latter));
			damage.removeAll(before);
			List<Long> writers = register().getList("writers", Long.class);
			IntStream.range(1, writers.size())
				.filter((i) -> writers.get(i) < writers.get(i - 1))
				.forEach((i) -> damage.add("register: %d after %d".formatted(writers.get(i), writers.get(i - 1))));
			return damage;
		}

		private void giveUpTransactionsAfter(int seconds) {
			this.client.getDatabase("admin")
				.runCommand(new Document("setParameter", 1).append("transactionLifetimeLimitSeconds", seconds));
		}

		private Document awaitLeader() {
			await("a leader").atMost(PATIENCE)
				.until(() -> instances().countDocuments(Filters.eq("leads", true)) == 1 && term() > 0
						&& registered() > 0);
			return instances().find(Filters.eq("leads", true)).first();
		}

		private static boolean isStopped(long pid) throws IOException {
			String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
			return stat.substring(stat.lastIndexOf(')') + 2).startsWith("T");
		}

		/** Return the last term that has written in a transaction, 0 if none has. */
		private long term() {
			Document last = entries().find().sort(new Document("term", -1)).first();
			return (last != null) ? last.getLong("term") : 0;
		}

		private long registered() {
			Document register = register();
			return (register != null) ? register.getLong("term") : 0;
		}

		private Document register() {
			return this.database.getCollection(StoppedLeaderApplication.REGISTER).find().first();
		}

		private Set<Object> entriesBefore(long term) {
			Set<Object> entries = new HashSet<>();
			entries().find(Filters.lt("term", term)).forEach((entry) -> entries.add(entry.get("_id")));
			return entries;
		}

		long terms() {
			return term();
		}

		long transactions() {
			return entries().countDocuments() / 2;
		}

		private MongoCollection<Document> entries() {
			return this.database.getCollection(StoppedLeaderApplication.ENTRIES);
		}

		private MongoCollection<Document> instances() {
			return this.database.getCollection(StoppedLeaderApplication.INSTANCES);
		}

		@Override
		public void close() {
			this.processes.forEach(SupervisedProcess::kill);
			this.client.close();
			this.mongo.close();
		}

	}

}
