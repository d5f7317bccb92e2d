package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Set;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;

/**
 * Creates the parts of elections and locks on MongoDB, and names their collections.
 */
public final class MongoStores {

	/** The collection of leases. */
	public static final String LEASES = MongoRecordStores.COLLECTIONS + "leases";

	/** The collection of sessions. */
	public static final String SESSIONS = MongoRecordStores.COLLECTIONS + "sessions";

	/** The collection of candidates. */
	public static final String CANDIDATES = MongoRecordStores.COLLECTIONS + "candidates";

	/** The collection of locks. */
	public static final String LOCKS = MongoRecordStores.COLLECTIONS + "locks";

	/** The collection of the runs of jobs. */
	public static final String RUNS = MongoRecordStores.COLLECTIONS + "runs";

	private MongoStores() {
	}

	public static LeaseStore leases(MongoDatabase database) {
		return LeaseStore.forElections(new MongoRecordStores(database), "");
	}

	public static LeaseStore locks(MongoDatabase database) {
		return LeaseStore.forLocks(new MongoRecordStores(database), "");
	}

	/** Return a candidate that has not started yet. */
	public static ElectionEngine engine(MongoDatabase database, String id, ElectionSettings settings,
			ElectionListener... listeners) {
		CandidateRecord identity = new CandidateRecord(id, "test", "localhost", null, null, Set.of(), null, Set.of());
		return new ElectionEngine(identity, leases(database), candidates(database), (election) -> settings,
				(task) -> new Thread(task, "leader-election-callback").start(), List.of(listeners), EngineClock.SYSTEM);
	}

	public static CandidateRegistry candidates(MongoDatabase database) {
		return new CandidateRegistry(new MongoRecordStores(database), "");
	}

}
