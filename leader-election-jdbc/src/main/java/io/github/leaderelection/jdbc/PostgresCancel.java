package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.postgresql.PGConnection;

/**
 * Has PostgreSQL cancel what a connection reads, before its time is over and it is given
 * up: a statement that waits for a lock would go on waiting on the server, and another
 * with each attempt. The driver does that by itself where a statement has a timeout, but
 * then holds the caller up until the server has taken notice, which one that is stopped
 * does not.
 */
final class PostgresCancel {

	private final PGConnection connection;

	/** Whoever has it may send a request, or lets nobody send one any more. */
	private final Semaphore permit = new Semaphore(1);

	private PostgresCancel(PGConnection connection) {
		this.connection = connection;
	}

	/**
	 * Cancel when four fifths of the time that is left are over.
	 * @param connection the connection
	 * @param end when it is given up, by {@link System#nanoTime()}
	 * @return what to end when the connection is not used any more
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
			// The connection is given up, in any case.
		}
		finally {
			this.permit.release();
		}
	}

	/**
	 * Cancel nothing any more. What somebody else does with the connection must not be
	 * cancelled: wait for a request that is on its way, which may take the driver long.
	 * @param end until when, by {@link System#nanoTime()}
	 * @return whether none is on its way
	 */
	boolean end(long end) {
		try {
			// The first does not mind an interrupt.
			return this.permit.tryAcquire() || this.permit.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
