package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.postgresql.PGConnection;

/**
 * Lets PostgreSQL cancel what a connection reads, shortly before the connection is given
 * up. Otherwise a statement that waits for a lock would go on waiting on the server, and
 * each attempt would add another. The driver does the same for a statement with a
 * timeout, but then blocks the caller until the server responds, which a stopped server
 * never does.
 */
final class PostgresCancel {

	private final PGConnection connection;

	/** Its holder may send a cancel request, or prevents any further one. */
	private final Semaphore permit = new Semaphore(1);

	private PostgresCancel(PGConnection connection) {
		this.connection = connection;
	}

	/**
	 * Cancel when four fifths of the time that is left have passed.
	 * @param end when the connection is given up, by {@link System#nanoTime()}
	 * @param connection the connection
	 * @return the cancellation, to be ended when the connection is no longer used
	 */
	static PostgresCancel before(long end, Connection connection) throws SQLException {
		PostgresCancel cancel = new PostgresCancel(connection.unwrap(PGConnection.class));
		long delay = (end - System.nanoTime()) / 5 * 4;
		CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, cancel::start).execute(cancel::cancel);
		return cancel;
	}

	private void start(Runnable task) {
		if (this.permit.availablePermits() > 0) {
			Thread thread = new Thread(task, "leader-election-cancel");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void cancel() {
		if (!this.permit.tryAcquire()) {
			return;
		}
		try {
			this.connection.cancelQuery();
		}
		catch (SQLException ex) {
			// The connection is given up in any case.
		}
		finally {
			this.permit.release();
		}
	}

	/**
	 * Send no further cancel request, and wait for one that is on its way, for which the
	 * driver may take long: it must not hit the next user of the connection.
	 * @param end how long to wait at most, by {@link System#nanoTime()}
	 * @return whether no request is on its way
	 */
	boolean end(long end) {
		try {
			// Unlike the second call, the first succeeds in an interrupted thread.
			return this.permit.tryAcquire() || this.permit.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
