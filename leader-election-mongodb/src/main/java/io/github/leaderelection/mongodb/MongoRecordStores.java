package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordStores;

/**
 * {@link RecordStores} in a database of MongoDB. Each kind of records has a collection,
 * {@code leader_election_} and the {@linkplain RecordKind#name() name} of the kind,
 * unless another is chosen. See {@link MongoRecordStore}.
 */
public final class MongoRecordStores implements RecordStores {

	/**
	 * What the names of collections begin with, unless others are chosen.
	 */
	public static final String COLLECTIONS = "leader_election_";

	private final MongoDatabase database;

	private final Map<String, String> collections;

	private final Duration watchPatience;

	/**
	 * Create stores. Does no I/O: collections come into being with their first records.
	 * @param database where records are kept; all who compete must use the same
	 */
	public MongoRecordStores(MongoDatabase database) {
		this(database, Map.of());
	}

	/**
	 * Create stores. Does no I/O: collections come into being with their first records.
	 * @param database where records are kept; all who compete must use the same
	 * @param collections by kind, the names of collections that have another than usual,
	 * which nothing else must use
	 */
	public MongoRecordStores(MongoDatabase database, Map<String, String> collections) {
		this(database, collections, MongoRecordStore.WATCH_PATIENCE);
	}

	MongoRecordStores(MongoDatabase database, Map<String, String> collections, Duration watchPatience) {
		this.database = database;
		this.collections = Map.copyOf(collections);
		this.watchPatience = watchPatience;
	}

	@Override
	public MongoRecordStore store(RecordKind kind) {
		String collection = this.collections.getOrDefault(kind.name(), COLLECTIONS + kind.name());
		return new MongoRecordStore(this.database, collection, kind, this.watchPatience);
	}

	@Override
	public String place() {
		return "database '%s' of MongoDB".formatted(this.database.getName());
	}

}
