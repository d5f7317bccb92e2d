package io.github.leaderelection.launcher;

import java.util.List;

/**
 * A server that is no member of a replica set: it has neither change streams nor
 * transactions.
 */
public final class MongoStandalone implements AutoCloseable {

	private final MongoNode node;

	private MongoStandalone(List<String> args) {
		this.node = new MongoNode(args);
	}

	/**
	 * Reserves a port for a server without starting it.
	 * @param args further arguments of {@code mongod}
	 * @return the server, to be started and to be closed by the caller
	 */
	public static MongoStandalone reserve(String... args) {
		return new MongoStandalone(List.of(args));
	}

	/**
	 * Starts a server and waits until it takes writes.
	 * @param args further arguments of {@code mongod}
	 * @return the running server, to be closed by the caller
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public static MongoStandalone start(String... args) {
		MongoStandalone standalone = reserve(args);
		try {
			standalone.node().start();
			return standalone;
		}
		catch (RuntimeException ex) {
			standalone.close();
			throw ex;
		}
	}

	/**
	 * The server.
	 * @return the only node
	 */
	public MongoNode node() {
		return this.node;
	}

	/**
	 * The URI for clients, known before the start.
	 * @return the URI
	 */
	public String uri() {
		return "mongodb://" + this.node.address() + "/";
	}

	/**
	 * Kills the server and removes its data.
	 */
	@Override
	public void close() {
		this.node.close();
	}

}
