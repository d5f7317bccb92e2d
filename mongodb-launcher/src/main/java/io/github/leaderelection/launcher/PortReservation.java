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
 * The port is held by a socket that is bound and never listens: connecting to it is
 * refused as if nothing were there, and the kernel gives the port to nobody who asks for
 * a free one. On Linux a server that sets {@code SO_REUSEADDR}, as {@code mongod} does,
 * can listen on the port all the same, so that it stays held while the server comes and
 * goes. Elsewhere the port is given up just before the server starts and taken back after
 * it has stopped.
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
	 * The address on which all servers listen: IPv4, whatever the JVM prefers.
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
	 * To be called just before the server starts.
	 */
	synchronized void serverStarts() {
		if (!SHARED_WITH_SERVER) {
			close();
		}
	}

	/**
	 * To be called when the server has ended.
	 */
	synchronized void serverEnded() {
		if (this.socket != null || SHARED_WITH_SERVER) {
			return;
		}
		try {
			this.socket = bind(this.port);
		}
		catch (UncheckedIOException ex) {
			// Someone was quicker. If they still have it when the server starts again,
			// that start says so.
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
