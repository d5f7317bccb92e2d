package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * A database in which candidates can keep their records.
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
	 * Download what can't be downloaded from inside the network namespace.
	 */
	abstract void prepare();

	/**
	 * Return servers that are not started yet.
	 * @param directory where they may write
	 */
	abstract Servers reserve(Network network, Path directory);

	/**
	 * Return the faults that apply to this database and its clients.
	 */
	List<FaultKind> kinds() {
		return Arrays.stream(FaultKind.values()).filter((kind) -> kind.concerns(this)).toList();
	}

}
