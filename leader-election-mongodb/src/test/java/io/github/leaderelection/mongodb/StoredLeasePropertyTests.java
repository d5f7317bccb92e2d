package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRenewal;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import org.bson.BsonDocument;
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

	private static final LeaseClaim SOUND = new LeaseClaim("sound", "a", 1);

	private static final LeaseClaim STRANGER = new LeaseClaim("odd", "stranger", 7);

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
		this.collection.insertOne(LeaseDocument.vacant(new Lease("sound", null, 1, 0, TTL, null, null))
			.append("holder", new BsonString("a")));
		BsonDocument before = stored();
		LeaseReading reading = this.store.read(List.of("odd", "sound", "none"), TIMEOUT);
		assertThat(reading.leases()).containsKey("sound").doesNotContainKey("none");
		assertThat(reading.leases().containsKey("odd")).isNotEqualTo(reading.damaged().containsKey("odd"));
		LeaseRenewal renewal = this.store.renew(List.of(SOUND, STRANGER), TIMEOUT);
		assertThat(renewal.renewed()).containsExactly(SOUND);
		assertThat(renewal.refused()).containsExactly(STRANGER);
		assertThat(this.store.create("odd", 9, TTL, TIMEOUT)).isFalse();
		assertThat(this.store.release(STRANGER, TIMEOUT)).isFalse();
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
		LeaseClaim claim = new LeaseClaim("odd", "b", lease.term() + 1);
		assertThat(this.store.take(lease, claim, TTL, TIMEOUT))
			.hasValueSatisfying((taken) -> assertFollows(taken, lease, "b", claim.term()));
		Lease taken = read();
		assertThat(this.store.renew(List.of(SOUND, claim), TIMEOUT).renewed()).containsExactlyInAnyOrder(SOUND, claim);
		Lease renewed = read();
		assertFollows(renewed, taken, "b", claim.term());
		assertThat(this.store.release(claim, TIMEOUT)).isTrue();
		assertFollows(read(), renewed, null, claim.term());
		assertThat(StoredDocuments.unknownFields(stored())).isEqualTo(StoredDocuments.unknownFields(before));
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
