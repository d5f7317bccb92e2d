package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;

/**
 * A proxy to a server. New connections can get stuck: they are accepted, but never
 * answered.
 */
final class StickingProxy implements AutoCloseable {

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

	/** Return whether a connection has got stuck. */
	boolean hasStuck() {
		return this.stuck;
	}

	private Void accept() throws IOException {
		while (true) {
			Socket client = this.server.accept();
			if (this.sticking) {
				this.stuck = true;
				continue;
			}
			Socket target = new Socket(InetAddress.getLoopbackAddress(), this.target);
			start(() -> pass(client, target));
			start(() -> pass(target, client));
		}
	}

	private static Long pass(Socket from, Socket to) throws IOException {
		try (from; to) {
			return from.getInputStream().transferTo(to.getOutputStream());
		}
	}

	private static void start(Callable<?> task) {
		Thread thread = new Thread(() -> {
			try {
				task.call();
			}
			catch (Exception ex) {
				// It was closed.
			}
		}, "sticking-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
