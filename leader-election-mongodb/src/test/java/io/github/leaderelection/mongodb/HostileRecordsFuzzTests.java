package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.StoredRecord;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests thousands of documents that nobody should have written, on a real MongoDB: each
 * is read as a record, or reported as damaged under its own id and left alone; the
 * records beside it are read, found, added up, watched and changed; and each message
 * about it fits on one line.
 * <p>
 * {@code -Dfuzz.documents} sets how many, {@code -Dfuzz.seed} repeats a run: each failure
 * names the seed of its round.
 */
class HostileRecordsFuzzTests {

	private static final int DOCUMENTS = Integer.getInteger("fuzz.documents", 10_000);

	private static final long SEED = Long.getLong("fuzz.seed", new Random().nextInt());

	private static final int PER_ROUND = 250;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final RecordKind KIND = new RecordKind("records", Map.of("text", FieldType.TEXT, "most",
			FieldType.NUMBER, "yes", FieldType.FLAG, "nothing", FieldType.TEXT, "date", FieldType.DATE), "text");

	private static final StoredRecord SOUND = new StoredRecord("sound", 7, Map.of("text", "sound"));

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final MongoCollection<RawBsonDocument> documents = this.database.getCollection("records",
			RawBsonDocument.class);

	private final MongoRecordStore store = new MongoRecordStore(this.database, "records", KIND, Duration.ofSeconds(1));

	@Test
	void randomDocumentsAreReadOrReportedAndLeftUnchanged() {
		for (int done = 0; done < DOCUMENTS; done += PER_ROUND) {
			round(SEED + done);
		}
	}

	private void round(long seed) {
		this.documents.deleteMany(Filters.empty());
		HostileDocuments hostile = new HostileDocuments(seed);
		List<RawBsonDocument> stored = new ArrayList<>();
		Set<String> ids = new HashSet<>(Set.of(SOUND.id(), "missing"));
		for (int i = 0; i < PER_ROUND; i++) {
			BsonValue id = hostile.id(i);
			if (id.isString()) {
				ids.add(id.asString().getValue());
			}
			stored.add(hostile.record(id));
		}
		try (RecordWatch watch = this.store.watch()) {
			this.documents.insertMany(stored);
			assertThat(this.store.insert(List.of(SOUND), TIMEOUT)).containsExactly(SOUND.id());
			awaitSound(watch, seed);
		}
		RecordReading read = this.store.read(ids, TIMEOUT);
		assertThat(read.records()).as("seed=%d", seed)
			.containsEntry(SOUND.id(), SOUND)
			.hasSizeGreaterThan(PER_ROUND / 4);
		assertThat(read.damaged()).as("seed=%d", seed).hasSize(ids.size() - 1 - read.records().size());
		read.damaged().values().forEach((damage) -> assertOneLine(damage, seed));
		for (String value : List.of("a", "b", "sound")) {
			assertFoundAndAddedUp(value, read, seed);
		}
		read.records().values().forEach((record) -> assertReplaced(record, seed));
		read.damaged().keySet().forEach((id) -> assertLeftAlone(id, stored, seed));
	}

	private static void awaitSound(RecordWatch watch, long seed) {
		long end = System.nanoTime() + TIMEOUT.toNanos();
		RecordChange change = null;
		while (change == null || change.record() == null || !change.record().equals(SOUND)) {
			change = watch.next();
			assertThat(System.nanoTime() - end).as("seed=%d", seed).isNegative();
		}
	}

	private void assertFoundAndAddedUp(String value, RecordReading read, long seed) {
		RecordReading found = this.store.find(new RecordQuery(value, Duration.ZERO, 1000), TIMEOUT);
		read.records()
			.values()
			.stream()
			.filter((record) -> value.equals(record.fields().get("text")))
			.forEach((record) -> assertThat(found.records()).as("seed=%d", seed).containsEntry(record.id(), record));
		RecordSum added = this.store.sum(List.of(value), TIMEOUT).get(value);
		if (value.equals("sound")) {
			assertThat(added).as("seed=%d", seed).isEqualTo(new RecordSum(1, SOUND.revision()));
		}
	}

	/** A record that this makes too large is damaged, and reported as such. */
	private void assertReplaced(StoredRecord record, long seed) {
		if (record.revision() < StoredRecord.MAX_REVISION) {
			StoredRecord next = record.next(Map.of("text", "replaced"));
			try {
				assertThat(this.store.replace(List.of(next), TIMEOUT)).as("seed=%d %s", seed, record)
					.containsExactly(record.id());
				StoredRecord stored = this.store.read(List.of(record.id()), TIMEOUT).records().get(record.id());
				assertThat(stored.revision()).as("seed=%d %s", seed, record).isEqualTo(next.revision());
			}
			catch (LeaseStoreException ex) {
				String damage = "" + this.store.read(List.of(record.id()), TIMEOUT).damaged().get(record.id());
				assertThat(ex).as("seed=%d", seed).hasMessageContainingAll(damage, RecordDocument.MAX_BYTES + " bytes");
			}
		}
	}

	/** It is reported as replaced only if that has repaired it. */
	private void assertLeftAlone(String id, List<RawBsonDocument> stored, long seed) {
		assertThat(this.store.insert(List.of(new StoredRecord(id, 1, Map.of())), TIMEOUT)).as("seed=%d", seed)
			.isEmpty();
		Set<String> replaced;
		try {
			replaced = this.store.replace(List.of(new StoredRecord(id, 8, Map.of("most", 1L))), TIMEOUT);
		}
		catch (LeaseStoreException ex) {
			assertOneLine(ex.getMessage(), seed);
			return;
		}
		if (replaced.isEmpty()) {
			RawBsonDocument now = this.documents.find(Filters.eq(id)).first();
			assertThat(stored).as("seed=%d %s", seed, id)
				.anyMatch((each) -> each.getByteBuffer().asNIO().equals(now.getByteBuffer().asNIO()));
		}
		else {
			StoredRecord healed = this.store.read(List.of(id), TIMEOUT).records().get(id);
			assertThat(healed.revision()).as("seed=%d %s", seed, id).isEqualTo(8);
		}
	}

	private static void assertOneLine(String text, long seed) {
		assertThat(text).as("seed=%d", seed)
			.hasSizeLessThan(4_000)
			.doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
	}

}
