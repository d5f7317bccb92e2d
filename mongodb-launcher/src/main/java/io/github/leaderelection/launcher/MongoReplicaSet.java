package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.bson.BsonDocument;
import org.bson.types.ObjectId;

/**
 * A replica set of real {@code mongod} processes on the loopback address, on free ports
 * that it keeps until it is closed. It detects the loss of its primary within about a
 * second. When this JVM ends, for whatever reason, the processes end and their data is
 * removed.
 *
 * <pre class="code">
 * try (MongoReplicaSet set = MongoReplicaSet.start(3)) {
 *     MongoClient client = MongoClients.create(set.uri());
 *     set.primary().kill();
 *     set.primary(); // another one
 * }
 * </pre>
 *
 * The methods may be called by any thread, one at a time.
 */
public final class MongoReplicaSet implements AutoCloseable {

	static final String NAME = "rs0";

	private static final Duration PRIMARY_TIMEOUT = Duration.ofSeconds(60);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

	private static final int ALREADY_INITIALIZED = 23;

	private final List<MongoNode> nodes;

	private boolean initiated;

	private MongoReplicaSet(int nodes, List<String> args) {
		if (nodes < 1 || nodes > 7) {
			throw new IllegalArgumentException("A replica set has 1 to 7 voting nodes, not " + nodes);
		}
		List<String> nodeArgs = memberArgs(args);
		this.nodes = IntStream.range(0, nodes).mapToObj((index) -> new MongoNode(nodeArgs)).toList();
	}

	/**
	 * Find the program to start, or fetch it, as starting a replica set does first.
	 * Useful if the start happens where nothing can be fetched.
	 * @throws MongodNotFoundException if there is none, and none can be fetched
	 */
	public static void prepare() {
		MongodBinary.locate();
	}

	/**
	 * Reserve the ports of a replica set without starting it. Clients can already be
	 * given its {@link #uri()}; they find no server there until {@link #start()}.
	 * @param nodes the number of nodes, 1 to 7
	 * @param args further arguments of each {@code mongod}
	 * @return the replica set, which the caller must start and close
	 */
	public static MongoReplicaSet reserve(int nodes, String... args) {
		return new MongoReplicaSet(nodes, List.of(args));
	}

	/**
	 * Start a replica set and wait for its primary.
	 * @param nodes the number of nodes, 1 to 7
	 * @param args further arguments of each {@code mongod}, such as
	 * {@code "--setParameter", "ttlMonitorSleepSecs=1"}
	 * @return the running replica set, which the caller must close
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public static MongoReplicaSet start(int nodes, String... args) {
		MongoReplicaSet set = reserve(nodes, args);
		try {
			set.start();
			return set;
		}
		catch (RuntimeException ex) {
			set.close();
			throw ex;
		}
	}

	/**
	 * Start a replica set that requires authentication. It has no user yet: MongoDB lets
	 * a client on the same machine create the first one. Operations for which the
	 * launcher itself needs a privilege, such as {@link #stepDown()}, do not work.
	 * @param nodes the number of nodes, 1 to 7
	 * @param args further arguments of each {@code mongod}
	 * @return the running replica set, which the caller must close
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public static MongoReplicaSet startWithAuthorization(int nodes, String... args) {
		List<String> all = new ArrayList<>(List.of("--auth", "--keyFile", KeyFile.create().toString()));
		all.addAll(List.of(args));
		return start(nodes, all.toArray(String[]::new));
	}

	/**
	 * Start the nodes that are not running, and wait until one is the primary and each
	 * other one could take its place.
	 * @throws IllegalStateException when a node ends or is not ready in time
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public void start() {
		this.nodes.forEach(MongoNode::launch);
		this.nodes.forEach(MongoNode::awaitAnswer);
		if (!this.initiated) {
			initiate(this.nodes.stream().map(MongoNode::port).toList());
			this.initiated = true;
		}
		Polling.await(PRIMARY_TIMEOUT, this::isReady, () -> "a primary and its secondaries among " + this.nodes);
	}

	/**
	 * Shut down all nodes cleanly, at the same time. They can be started again.
	 */
	public void stop() {
		onAll(MongoNode::stop);
	}

	/**
	 * Kill all nodes. They can be started again.
	 */
	public void kill() {
		onAll(MongoNode::kill);
	}

	/**
	 * Return the URI for clients, with all nodes and no database; known before the start.
	 * @return the URI
	 */
	public String uri() {
		return uri("");
	}

	/**
	 * Return the URI for clients, with a database.
	 * @param database the database's name
	 * @return the URI
	 */
	public String uri(String database) {
		return this.nodes.stream().map(MongoNode::address).collect(Collectors.joining(",", "mongodb://", "/"))
				+ database + "?replicaSet=" + NAME;
	}

	/**
	 * Return all nodes, always in the same order.
	 * @return the nodes
	 */
	public List<MongoNode> nodes() {
		return this.nodes;
	}

	/**
	 * Wait until a node reports that it accepts writes. A paused node does not count.
	 * @return that node
	 * @throws IllegalStateException when there is none in time
	 */
	public MongoNode primary() {
		List<MongoNode> found = new ArrayList<>(1);
		Polling.await(PRIMARY_TIMEOUT, () -> {
			currentPrimary().ifPresent(found::add);
			return !found.isEmpty();
		}, () -> "a primary among " + this.nodes);
		return found.get(0);
	}

	/**
	 * Return the nodes other than the {@link #primary()}, whatever their state.
	 * @return the nodes
	 */
	public List<MongoNode> secondaries() {
		MongoNode primary = primary();
		return this.nodes.stream().filter((node) -> node != primary).toList();
	}

	/**
	 * Make the primary step down for ten seconds, and wait for a new one. In a set of one
	 * node, the same node becomes the primary again.
	 * @return the new primary
	 * @throws IllegalStateException when it refuses or there is no new primary in time
	 */
	public MongoNode stepDown() {
		int seconds = (this.nodes.size() > 1) ? 10 : 1;
		BsonDocument reply = run(primary().port(),
				BsonDocument.parse("{replSetStepDown: " + seconds + ", force: true}"));
		if (!ServerCommand.isOk(reply)) {
			throw new IllegalStateException("The primary does not step down: " + reply.toJson());
		}
		return primary();
	}

	/**
	 * Make a node the primary, unless it is already, and wait until it is.
	 * @param node a running node of this set
	 * @throws IllegalStateException when it does not become the primary in time
	 */
	public void stepUp(MongoNode node) {
		Polling.await(PRIMARY_TIMEOUT, () -> {
			if (primary() != node) {
				// Refused while the node lags behind or another election is going on, and
				// for a while after it has stepped down.
				run(node.port(), BsonDocument.parse("{replSetFreeze: 0}"));
				run(node.port(), BsonDocument.parse("{replSetStepUp: 1}"));
			}
			return primary() == node;
		}, () -> node + " to become the primary among " + this.nodes);
	}

	/**
	 * Kill all nodes and remove their data.
	 */
	@Override
	public void close() {
		onAll(MongoNode::close);
	}

	/**
	 * Return the command that starts a member of a replica set.
	 * @param mongod the program
	 * @param port the member's port
	 * @param data the member's data directory, which must exist
	 * @param args further arguments
	 * @return the program and its arguments
	 */
	static List<String> memberCommand(MongodBinary mongod, int port, Path data, List<String> args) {
		List<String> command = new ArrayList<>(mongod.command(port, data));
		command.addAll(memberArgs(args));
		return command;
	}

	/**
	 * Initiate a replica set of running servers, unless that has been done already.
	 * @param ports the ports of the servers
	 */
	static void initiate(List<Integer> ports) {
		String members = IntStream.range(0, ports.size())
			.mapToObj((index) -> "{_id: " + index + ", host: '127.0.0.1:" + ports.get(index) + "'}")
			.collect(Collectors.joining(", ", "[", "]"));
		BsonDocument reply = run(ports.get(0), BsonDocument.parse("{replSetInitiate: {_id: '" + NAME + "', members: "
				+ members + ", settings: {electionTimeoutMillis: 1000, heartbeatIntervalMillis: 200}}}"));
		if (!ServerCommand.isOk(reply) && reply.getNumber("code").intValue() != ALREADY_INITIALIZED) {
			throw new IllegalStateException("The replica set cannot be initiated: " + reply.toJson());
		}
	}

	private static List<String> memberArgs(List<String> args) {
		List<String> memberArgs = new ArrayList<>(List.of("--replSet", NAME));
		memberArgs.addAll(args);
		return memberArgs;
	}

	private boolean isReady() {
		List<ServerState> states = this.nodes.stream()
			.filter((node) -> !node.isPaused())
			.map((node) -> ServerCommand.state(node.port()))
			.toList();
		return states.stream().filter(ServerState.PRIMARY::equals).count() == 1
				&& states.stream().allMatch((state) -> state == ServerState.PRIMARY || state == ServerState.SECONDARY);
	}

	/**
	 * A node that was paused may still report itself as primary: the last elected counts.
	 */
	private Optional<MongoNode> currentPrimary() {
		Map<MongoNode, ObjectId> elections = new HashMap<>();
		this.nodes.stream()
			.filter((node) -> node.isRunning() && !node.isPaused())
			.forEach((node) -> ServerCommand.electionOfPrimary(node.port())
				.ifPresent((election) -> elections.put(node, election)));
		return elections.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
	}

	private void onAll(Consumer<MongoNode> action) {
		this.nodes.parallelStream().forEach(action);
	}

	private static BsonDocument run(int port, BsonDocument command) {
		try {
			return ServerCommand.run(port, command, COMMAND_TIMEOUT);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No answer from the server on port " + port, ex);
		}
	}

}
