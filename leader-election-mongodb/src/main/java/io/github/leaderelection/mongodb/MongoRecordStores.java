package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordStores;

/**
 * {@link RecordStores} in a MongoDB database. Each kind of record has a collection, by
 * default named {@code leader_election_} plus the {@linkplain RecordKind#name() name} of
 * the kind. See {@link MongoRecordStore}.
 */
public final class MongoRecordStores implements RecordStores {

	/**
	 * The prefix of the default names of collections.
	 */
	public static final String COLLECTIONS = "leader_election_";

	private final MongoDatabase database;

	private final Map<String, String> collections;

	private final Duration watchPatience;

	/**
	 * Create stores. Does no I/O: MongoDB creates each collection with its first record.
	 * @param database the database for the records; all competing processes must use the
	 * same
	 */
	public MongoRecordStores(MongoDatabase database) {
		this(database, Map.of());
	}

	/**
	 * Create stores. Does no I/O: MongoDB creates each collection with its first record.
	 * @param database the database for the records; all competing processes must use the
	 * same
	 * @param collections names of collections that differ from the default, by kind;
	 * nothing else may use these collections
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
