package io.github.leaderelection.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

/**
 * Other work of a candidate's process, which takes all connections of the pool while a
 * request file exists.
 */
final class PoolUser {

	private static final long PAUSE_NANOS = 50_000_000;

	private final DataSource pool;

	private final Path request;

	PoolUser(DataSource pool, Path history) {
		this.pool = pool;
		this.request = request(history);
	}

	/**
	 * Return the file whose existence requests it.
	 */
	static Path request(Path history) {
		return history.resolveSibling(history.getFileName() + ".exhaust");
	}

	void start() {
		Thread thread = new Thread(this::run, "pool-user");
		thread.setDaemon(true);
		thread.start();
	}

	private void run() {
		List<Connection> taken = new ArrayList<>();
		while (true) {
			if (Files.exists(this.request)) {
				take(taken);
			}
			else {
				giveBack(taken);
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	/** Take the next connection, waiting as long as the pool allows. */
	private void take(List<Connection> taken) {
		try {
			taken.add(this.pool.getConnection());
		}
		catch (SQLException ex) {
			// No connection is free, or the server is down.
		}
	}

	private static void giveBack(List<Connection> taken) {
		for (Connection each : taken) {
			try {
				each.close();
			}
			catch (SQLException ex) {
				// It is broken, and is discarded anyway.
			}
		}
		taken.clear();
	}

}
