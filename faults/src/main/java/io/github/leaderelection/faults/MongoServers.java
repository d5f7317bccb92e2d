package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.internal.build.MongoDriverVersion;
import io.github.leaderelection.faults.Network.Cut;
import io.github.leaderelection.faults.Network.Loss;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/**
 * Three MongoDB servers, each with its own group id. The last one has a wall clock that
 * can be set.
 */
final class MongoServers implements Servers {

	static final String DATABASE = "faults";

	private static final Logger logger = LoggerFactory.getLogger(MongoServers.class);

	private static final int NUMBER = 3;

	private static final int FIRST_GROUP = 21001;

	private final MongoReplicaSet mongo = MongoReplicaSet.reserve(NUMBER);

	private final Network network;

	private final Path directory;

	private final WallClock clock;

	/**
	 * Create servers without starting them.
	 * @param directory where logs go
	 */
	MongoServers(Network network, Path directory) {
		this.network = network;
		this.directory = directory;
		this.clock = new WallClock(directory.resolve("server.clock"));
		for (MongoNode node : this.mongo.nodes()) {
			int group = group(node);
			network.add(group);
			List<String> program = new ArrayList<>(Network.startIn(group));
			if (node == clocked()) {
				program.addAll(this.clock.startWith());
			}
			node.startBy(program.toArray(String[]::new));
		}
	}

	private int group(MongoNode server) {
		return FIRST_GROUP + this.mongo.nodes().indexOf(server);
	}

	/** Return the server whose clock can be set. */
	private MongoNode clocked() {
		return this.mongo.nodes().get(NUMBER - 1);
	}

	@Override
	public void start() {
		try {
			this.mongo.start();
		}
		catch (IllegalStateException ex) {
			logger.warn("MongoDB does not recover, and is killed and started again", ex);
			this.mongo.kill();
			this.mongo.start();
		}
	}

	@Override
	public List<String> candidateArgs() {
		return List.of("--leader-election.store=mongodb", "--spring.mongodb.uri=" + this.mongo.uri(),
				"--spring.mongodb.database=" + DATABASE, "--spring.data.mongodb.repositories.type=none",
				"--spring.autoconfigure.exclude=" + DataSourceAutoConfiguration.class.getName());
	}

	@Override
	public Probe probe() {
		return new MongoProbe(this.mongo.uri());
	}

	@Override
	public Injection inject(FaultKind kind) {
		return switch (kind) {
			case ALL_KILLED, ALL_PAUSED, DISKS_SLOW, NETWORK_SLOW ->
				new Injection(Injection.EVERYBODY, hit(kind, null));
			case PRIMARY_CLOCK_AHEAD, PRIMARY_CLOCK_BEHIND -> new Injection(clocked(), hit(kind, clocked()));
			default -> {
				MongoNode primary = this.mongo.primary();
				yield new Injection(primary, hit(kind, primary));
			}
		};
	}

	private Runnable hit(FaultKind kind, MongoNode server) {
		switch (kind) {
			case PRIMARY_KILLED -> {
				server.kill();
				return this::start;
			}
			case PRIMARY_PAUSED -> {
				server.pause();
				return () -> {
					server.resume();
					start();
				};
			}
			case PRIMARY_STEPS_DOWN -> {
				this.mongo.stepDown();
				return this::start;
			}
			case PRIMARY_ISOLATED, PRIMARY_ISOLATED_BY_RESETS, PRIMARY_CUT_OFF_FROM_PEERS, PRIMARY_RESET_FROM_PEERS -> {
				return afterMending(cut(kind, server));
			}
			case PRIMARY_CLOCK_AHEAD, PRIMARY_CLOCK_BEHIND -> {
				return failOverTo(server, (kind == FaultKind.PRIMARY_CLOCK_AHEAD) ? "+1h" : "-1h");
			}
			case DISKS_SLOW -> {
				SlowDisks slow = new SlowDisks(this.mongo.nodes().stream().map(MongoNode::pid).toList(),
						this.directory);
				return () -> {
					slow.mend();
					start();
				};
			}
			case ALL_PAUSED -> {
				this.mongo.nodes().forEach(MongoNode::pause);
				return () -> {
					this.mongo.nodes().forEach(MongoNode::resume);
					start();
				};
			}
			case ALL_KILLED -> {
				this.mongo.kill();
				return this::start;
			}
			case NETWORK_SLOW -> {
				return afterMending(Network.slowDown());
			}
			default -> throw new IllegalArgumentException(kind.name());
		}
	}

	private Cut cut(FaultKind kind, MongoNode server) {
		int group = group(server);
		List<Integer> peers = this.mongo.nodes().stream().filter((node) -> node != server).map(this::group).toList();
		Network network = this.network;
		return switch (kind) {
			case PRIMARY_ISOLATED -> network.isolate(group, server.port(), Loss.DROPPED);
			case PRIMARY_ISOLATED_BY_RESETS -> network.isolate(group, server.port(), Loss.RESET);
			case PRIMARY_CUT_OFF_FROM_PEERS -> network.separate(group, server.port(), peers, Loss.DROPPED);
			default -> network.separate(group, server.port(), peers, Loss.RESET);
		};
	}

	private Runnable failOverTo(MongoNode server, String shift) {
		MongoReplicaSet mongo = this.mongo;
		WallClock clock = this.clock;
		if (mongo.primary() == server) {
			mongo.stepUp(mongo.nodes().get(0));
		}
		clock.set(shift);
		try {
			mongo.stepUp(server);
		}
		catch (IllegalStateException ex) {
			clock.set("+0");
			throw ex;
		}
		return () -> {
			clock.set("+0");
			start();
			if (!takesWrites()) {
				// Some of its waits last until the shifted clock time they were set for.
				logger.warn("{} has not recovered from its clock being set back, and is restarted", server);
				server.kill();
				start();
			}
		};
	}

	private Runnable afterMending(Cut cut) {
		return () -> {
			cut.mend();
			start();
		};
	}

	/** Return whether a majority acknowledges a write within 10 s. */
	private boolean takesWrites() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			client.getDatabase(DATABASE)
				.getCollection("probes")
				.withWriteConcern(WriteConcern.MAJORITY)
				.withTimeout(10, TimeUnit.SECONDS)
				.insertOne(new Document());
			return true;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	@Override
	public List<StoredTerm> terms() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			return Oplog.terms(client, DATABASE);
		}
	}

	@Override
	public String version() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			return "MongoDB %s, driver %s".formatted(
					client.getDatabase("admin").runCommand(new Document("buildInfo", 1)).getString("version"),
					MongoDriverVersion.VERSION);
		}
	}

	@Override
	public void close() {
		this.mongo.close();
	}

}
