package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The way to a server, on which new connections may stick: they are accepted, and nobody
 * ever answers.
 */
final class StickingProxy implements AutoCloseable {

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final int target;

	private volatile boolean sticking;

	private volatile boolean stuck;

	StickingProxy(int target) throws IOException {
		this.target = target;
		start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	void stick(boolean value) {
		this.sticking = value;
	}

	/** Return whether a connection has. */
	boolean hasStuck() {
		return this.stuck;
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.server.accept();
			this.sockets.add(client);
			if (this.sticking) {
				this.stuck = true;
				continue;
			}
			Socket target = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.add(target);
			start(() -> pass(client, target));
			start(() -> pass(target, client));
		}
	}

	private static void pass(Socket from, Socket to) throws IOException {
		try (from; to) {
			from.getInputStream().transferTo(to.getOutputStream());
		}
	}

	private static void start(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// It is closed.
			}
		}, "sticking-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		for (Socket each : this.sockets) {
			each.close();
		}
	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
