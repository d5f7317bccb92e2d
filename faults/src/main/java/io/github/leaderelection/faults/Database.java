package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * A database that candidates can keep their records in.
 */
enum Database {

	/** MongoDB, on three servers. */
	MONGODB(0.5) {

		@Override
		void prepare() {
			MongoReplicaSet.prepare();
		}

		@Override
		Servers reserve(Network network, Path directory) {
			return new MongoServers(network, directory);
		}

	},

	/** PostgreSQL, on one server. */
	POSTGRESQL(0.2) {

		@Override
		void prepare() {
			// Its archive is on the class path.
		}

		@Override
		Servers reserve(Network network, Path directory) {
			return new PostgresServer(directory);
		}

	};

	private final double leastAcknowledged;

	Database(double leastAcknowledged) {
		this.leastAcknowledged = leastAcknowledged;
	}

	/**
	 * Return for which part of the time changes must have been acknowledged: what goes
	 * wrong while nobody could be elected anyway is no finding. Each fault of a server
	 * takes the only one there is.
	 */
	double leastAcknowledged() {
		return this.leastAcknowledged;
	}

	/**
	 * Fetch what can't be fetched in a network of its own.
	 */
	abstract void prepare();

	/**
	 * Return servers that are to be started.
	 * @param directory where they may write
	 */
	abstract Servers reserve(Network network, Path directory);

	/**
	 * Return what can go wrong with it, and with its clients.
	 */
	List<FaultKind> kinds() {
		return Arrays.stream(FaultKind.values()).filter((kind) -> kind.concerns(this)).toList();
	}

}
