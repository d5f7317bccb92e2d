package io.github.leaderelection.launcher;

import java.util.List;

/**
 * A server that is not a member of a replica set: it supports neither change streams nor
 * transactions.
 */
public final class MongoStandalone implements AutoCloseable {

	private final MongoNode node;

	private MongoStandalone(List<String> args) {
		this.node = new MongoNode(args);
	}

	/**
	 * Reserve a port for a server without starting it.
	 * @param args further arguments of {@code mongod}
	 * @return the server, which the caller must start and close
	 */
	public static MongoStandalone reserve(String... args) {
		return new MongoStandalone(List.of(args));
	}

	/**
	 * Start a server and wait until it accepts writes.
	 * @param args further arguments of {@code mongod}
	 * @return the running server, which the caller must close
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
	 * Return the server.
	 * @return the only node
	 */
	public MongoNode node() {
		return this.node;
	}

	/**
	 * Return the URI for clients, which is known before the start.
	 * @return the URI
	 */
	public String uri() {
		return "mongodb://" + this.node.address() + "/";
	}

	/**
	 * Kill the server and remove its data.
	 */
	@Override
	public void close() {
		this.node.close();
	}

}
