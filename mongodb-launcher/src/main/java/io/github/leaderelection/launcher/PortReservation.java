package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Keeps a free port of the loopback address for a server that may be down at times.
 * <p>
 * A socket that is bound but never listens holds the port: connections are refused as if
 * nothing were there, and the kernel does not hand the port out as a free one. On Linux a
 * server that sets {@code SO_REUSEADDR}, as {@code mongod} does, can listen on the port
 * all the same, so the socket stays bound while the server comes and goes. Elsewhere the
 * port is released just before the server starts and taken again after it has stopped.
 */
final class PortReservation implements AutoCloseable {

	private static final boolean SHARED_WITH_SERVER = System.getProperty("os.name", "")
		.toLowerCase(Locale.ROOT)
		.contains("linux");

	private static final byte[] LOOPBACK = { 127, 0, 0, 1 };

	private final int port;

	private @Nullable SocketChannel socket;

	PortReservation() {
		SocketChannel bound = bind(0);
		this.socket = bound;
		try {
			this.port = ((InetSocketAddress) bound.getLocalAddress()).getPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the address of a server: IPv4 loopback, whatever the JVM prefers.
	 * @param port the port
	 * @return the address
	 * @throws UnknownHostException never
	 */
	static InetSocketAddress onLoopback(int port) throws UnknownHostException {
		return new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port);
	}

	int port() {
		return this.port;
	}

	/**
	 * Release the port if it can't be shared with the server, which is about to start.
	 */
	synchronized void serverStarts() {
		if (!SHARED_WITH_SERVER) {
			close();
		}
	}

	/**
	 * Hold the port again, now that the server has ended.
	 */
	synchronized void serverEnded() {
		if (this.socket != null || SHARED_WITH_SERVER) {
			return;
		}
		try {
			this.socket = bind(this.port);
		}
		catch (UncheckedIOException ex) {
			// Another process was quicker. If it still has the port when the server
			// starts again, that start reports it.
			this.socket = null;
		}
	}

	@Override
	public synchronized void close() {
		if (this.socket != null) {
			try {
				this.socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.socket = null;
		}
	}

	private static SocketChannel bind(int port) {
		try {
			SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
			try {
				socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
				socket.bind(onLoopback(port));
				return socket;
			}
			catch (IOException ex) {
				socket.close();
				throw ex;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No port can be reserved on 127.0.0.1", ex);
		}
	}

}
