package io.github.leaderelection.fence;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.mongodb.TermFence;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.support.DataAccessUtils;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoDatabaseUtils;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Fences in MongoDB, stored by {@link TermFence}.
 */
final class FencedMongoDatabase implements FencedDatabase {

	/** How long the startup waits for a MongoDB that does not answer. */
	private static final int PATIENCE_SECONDS = 2;

	private final MongoTransactionManager manager;

	/** By name of the database: a factory may choose another one each time. */
	private final Map<String, TermFence> fences = new ConcurrentHashMap<>();

	FencedMongoDatabase(MongoTransactionManager manager) {
		this.manager = manager;
	}

	private MongoDatabaseFactory factory() {
		return Objects.requireNonNull(this.manager.getDatabaseFactory(), "A transaction manager needs a factory");
	}

	private TermFence fence(MongoDatabase database) {
		return this.fences.computeIfAbsent(database.getName(), (name) -> new TermFence(database));
	}

	@Override
	public boolean inTransaction() {
		return MongoDatabaseUtils.isTransactionActive(factory());
	}

	@Override
	public boolean isBound() {
		return resource() != null;
	}

	@Override
	public @Nullable Object resource() {
		return TransactionSynchronizationManager.getResource(factory());
	}

	@Override
	public void raise(Leadership leadership) {
		translating(() -> fence(factory().getMongoDatabase()).raise(leadership));
	}

	@Override
	public Passage open(Leadership leadership) {
		MongoDatabase database = factory().getMongoDatabase();
		TermFence.Passage passage = fence(database).open(leadership);
		return new Passage() {

			@Override
			public void pass() {
				translating(() -> passage.pass(MongoDatabaseUtils.getDatabase(database.getName(), factory())
					.getCollection(TermFence.COLLECTION)));
			}

			@Override
			public void close() {
				passage.close();
			}

		};
	}

	/** Translate exceptions as {@code MongoTemplate} does. */
	private void translating(Runnable call) {
		try {
			call.run();
		}
		catch (MongoException ex) {
			throw DataAccessUtils.translateIfNecessary(ex, factory().getExceptionTranslator());
		}
	}

	@Override
	public void requireUsable(boolean alone) {
		Document server = hello(factory().getMongoDatabase());
		if (server != null && !server.containsKey("setName") && !"isdbgrid".equals(server.get("msg"))) {
			throw new UnusableFenceException("MongoDB is a standalone server, which has no transactions",
					"Use a replica set: one of a single member will do");
		}
	}

	/**
	 * Return the reply, or {@code null} if there is none: then nothing can be written
	 * either.
	 */
	private static @Nullable Document hello(MongoDatabase database) {
		try {
			return database.withTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).runCommand(new Document("hello", 1));
		}
		catch (MongoException ex) {
			return null;
		}
	}

}
