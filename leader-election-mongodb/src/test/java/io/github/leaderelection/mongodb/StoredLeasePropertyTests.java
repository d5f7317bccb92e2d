package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseTaking;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is stored in place of a lease, on a real MongoDB: it is either understood, and
 * then changed as any lease is, or reported and left alone; and never in the way of
 * others.
 */
class StoredLeasePropertyTests {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final Lease SOUND = new Lease("sound", "a", 1, 1, 0, TTL, null, null);

	/** With numbers that no document is given. */
	private static final Lease STRANGER = new Lease("odd", "stranger", 1, 7_777, 8_888, TTL, null, null);

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<BsonDocument> collection = this.database.getCollection(MongoLeaseStore.COLLECTION,
			BsonDocument.class);

	private final MongoLeaseStore store = new MongoLeaseStore(this.database);

	@AfterProperty
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
	void documentIsUnderstoodOrLeftAlone(@ForAll("documents") BsonDocument document) {
		this.collection.deleteMany(new BsonDocument());
		this.collection.insertOne(document.clone().append("_id", new BsonString("odd")));
		this.collection.insertOne(LeaseDocument.vacant(Lease.vacant("sound", 1, 0, TTL))
			.append("holder", new BsonString("a"))
			.append("session", new BsonInt64(1)));
		BsonDocument before = stored();
		LeaseReading reading = this.store.read(List.of("odd", "sound", "none"), TIMEOUT);
		assertThat(reading.leases()).containsKey("sound").doesNotContainKey("none");
		assertThat(reading.leases().containsKey("odd")).isNotEqualTo(reading.damaged().containsKey("odd"));
		assertThat(this.store.create(List.of(Lease.vacant("odd", 9, 0, TTL)), TIMEOUT)).isEmpty();
		assertThat(
				this.store.release(List.of(new LeaseRelease(STRANGER, null), new LeaseRelease(SOUND, null)), TIMEOUT))
			.isOne();
		assertThat(this.store.take(List.of(taking(STRANGER, 7_778)), TIMEOUT)).isEmpty();
		assertThat(stored()).isEqualTo(before);
		Lease lease = reading.leases().get("odd");
		if (lease == null) {
			assertThat(reading.damaged().get("odd")).contains(" must be ", " but is ");
		}
		else if (!StoredDocuments.isExtreme(lease.term()) && !StoredDocuments.isExtreme(lease.revision())) {
			assertChangesAsAnyLease(lease, before);
		}
	}

	private void assertChangesAsAnyLease(Lease lease, BsonDocument before) {
		LeaseTaking taking = taking(lease, lease.term() + 1);
		Lease taken = this.store.take(List.of(taking), TIMEOUT).get("odd");
		assertThat(taken).isNotNull();
		assertFollows(taken, lease, "b", taking.taken().term());
		assertThat(read()).isEqualTo(taken);
		assertThat(taken.session()).isEqualTo(4);
		assertThat(this.store.release(List.of(new LeaseRelease(taken, null)), TIMEOUT)).isOne();
		assertFollows(read(), taken, null, taking.taken().term());
		assertThat(StoredDocuments.unknownFields(stored())).isEqualTo(StoredDocuments.unknownFields(before));
	}

	private static LeaseTaking taking(Lease expected, long term) {
		return LeaseTaking.of(expected, Session.first("b", 4, TTL), term);
	}

	private static void assertFollows(Lease lease, Lease former, String holder, long term) {
		assertThat(lease.revision()).isEqualTo(former.revision() + 1);
		assertThat(lease.holder()).isEqualTo(holder);
		assertThat(lease.term()).isEqualTo(term);
		assertThat(lease.ttl()).isEqualTo(TTL);
	}

	private Lease read() {
		return this.store.read(List.of("odd"), TIMEOUT).leases().get("odd");
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq("odd")).first();
	}

	@Provide
	Arbitrary<BsonDocument> documents() {
		return StoredDocuments.any();
	}

}
