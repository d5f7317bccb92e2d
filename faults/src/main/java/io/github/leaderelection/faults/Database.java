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
	MONGODB {

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
	POSTGRESQL {

		@Override
		void prepare() {
			// Its archive is on the class path.
		}

		@Override
		Servers reserve(Network network, Path directory) {
			return new PostgresServer(directory);
		}

	};

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
