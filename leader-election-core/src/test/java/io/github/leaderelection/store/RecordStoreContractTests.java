package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link RecordStore}. Each test begins with an empty store.
 */
public abstract class RecordStoreContractTests {

	/** Never reached while a server answers, even on a slow machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String ID = "billing/nightly-report";

	/**
	 * The fields of the records in these tests, which are queried by their text.
	 */
	protected static final RecordKind KIND = new RecordKind("records", Map.ofEntries(Map.entry("text", FieldType.TEXT),
			Map.entry("empty", FieldType.TEXT), Map.entry("most", FieldType.NUMBER),
			Map.entry("least", FieldType.NUMBER), Map.entry("yes", FieldType.FLAG), Map.entry("no", FieldType.FLAG),
			Map.entry("date", FieldType.DATE), Map.entry("early", FieldType.DATE), Map.entry("nothing", FieldType.TEXT),
			Map.entry("note", FieldType.TEXT), Map.entry("more", FieldType.FLAG)), "text");

	/** Return the store for records of the {@link #KIND}, empty at first. */
	protected abstract RecordStore store();

	@Test
	void missingRecordIsNotFound() {
		RecordReading reading = store().read(List.of(ID), TIMEOUT);
		assertThat(reading.records()).isEmpty();
		assertThat(reading.damaged()).isEmpty();
	}

	@Test
	void emptyCallHasNoEffect() {
		assertThat(store().read(List.of(), TIMEOUT).records()).isEmpty();
		assertThat(store().insert(List.of(), TIMEOUT)).isEmpty();
		assertThat(store().replace(List.of(), TIMEOUT)).isEmpty();
		assertThat(store().remove(List.of(), TIMEOUT)).isEmpty();
		assertThat(store().sum(List.of(), TIMEOUT)).isEmpty();
	}

	@Test
	void valuesOfAllTypesAreReadAsTheyWereStored() {
		Map<String, Object> fields = new LinkedHashMap<>();
		fields.put("text", "Jörg’s \uD83D\uDE80 \"report\"\n$set.a");
		fields.put("empty", "");
		fields.put("most", Long.MAX_VALUE);
		fields.put("least", Long.MIN_VALUE);
		fields.put("yes", true);
		fields.put("no", false);
		fields.put("date", Instant.parse("2025-03-01T00:00:00.123456Z"));
		fields.put("early", Instant.EPOCH.minusMillis(1));
		fields.put("nothing", null);
		StoredRecord record = new StoredRecord(ID, StoredRecord.MAX_REVISION, fields);
		assertThat(insert(record)).containsExactly(ID);
		assertThat(withoutNulls(read(ID))).isEqualTo(withoutNulls(record));
		assertThat(read(ID).fields().get("date")).isEqualTo(Instant.parse("2025-03-01T00:00:00.123Z"));
	}

	@Test
	void idsAreDistinguishedByEachCharacter() {
		List<String> ids = List.of("a", "A", "a ", "á", "a/b", "a.b", "$a", "ä");
		ids.forEach((id) -> assertThat(insert(record(id, 1, id))).containsExactly(id));
		RecordReading reading = store().read(ids, TIMEOUT);
		assertThat(reading.records()).hasSize(ids.size())
			.allSatisfy((id, record) -> assertThat(record.fields()).containsEntry("text", id));
	}

	@Test
	void onlyRequestedRecordsAreRead() {
		insert(record("one", 1, "1"), record("two", 1, "2"));
		assertThat(store().read(List.of("two", "three"), TIMEOUT).records()).containsOnlyKeys("two");
	}

	@Test
	void existingRecordIsNotInserted() {
		insert(record(ID, 5, "first"));
		assertThat(insert(record(ID, 5, "second"))).isEmpty();
		assertThat(insert(record(ID, 6, "second"))).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 5, "first"));
	}

	@Test
	void onlyMissingRecordsAreInserted() {
		insert(record("two", 1, "first"));
		assertThat(insert(record("one", 1, "second"), record("two", 1, "second"), record("three", 1, "second")))
			.containsExactlyInAnyOrder("one", "three");
		assertThat(read("one")).isEqualTo(record("one", 1, "second"));
		assertThat(read("two")).isEqualTo(record("two", 1, "first"));
		assertThat(read("three")).isEqualTo(record("three", 1, "second"));
	}

	@Test
	void recordAtThePreviousRevisionIsReplaced() {
		insert(record(ID, 5, "first"));
		assertThat(replace(record(ID, 6, "second"))).containsExactly(ID);
		assertThat(replace(record(ID, 7, "third"))).containsExactly(ID);
		assertThat(read(ID)).isEqualTo(record(ID, 7, "third"));
	}

	@Test
	void recordAtAnotherRevisionIsUnchanged() {
		insert(record(ID, 5, "first"));
		for (long revision : new long[] { 1, 4, 5, 7, 8 }) {
			assertThat(replace(record(ID, revision, "second"))).as("revision " + revision).isEmpty();
		}
		assertThat(read(ID)).isEqualTo(record(ID, 5, "first"));
	}

	@Test
	void repeatedReplacementDoesNothing() {
		insert(record(ID, 5, "first"));
		replace(record(ID, 6, "second"));
		assertThat(replace(record(ID, 6, "second"))).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 6, "second"));
	}

	@Test
	void replacementCreatesNoRecord() {
		assertThat(replace(record(ID, 1, "first"))).isEmpty();
		assertThat(replace(record(ID, 2, "first"))).isEmpty();
		assertThat(store().read(List.of(ID), TIMEOUT).records()).isEmpty();
	}

	@Test
	void unnamedFieldsAreUnchanged() {
		insert(new StoredRecord(ID, 1, Map.of("text", "first", "note", "hands off")));
		Map<String, Object> changed = new LinkedHashMap<>();
		changed.put("text", null);
		changed.put("more", true);
		assertThat(replace(new StoredRecord(ID, 2, changed))).containsExactly(ID);
		changed.put("note", "hands off");
		assertThat(withoutNulls(read(ID))).isEqualTo(withoutNulls(new StoredRecord(ID, 2, changed)));
	}

	/** Remove nulls: a store need not distinguish a null field from a missing one. */
	private static StoredRecord withoutNulls(StoredRecord record) {
		Map<String, Object> fields = new LinkedHashMap<>(record.fields());
		fields.values().removeIf(Objects::isNull);
		return new StoredRecord(record.id(), record.revision(), fields);
	}

	@Test
	void revisionsCanStartAtZero() {
		assertThat(insert(record(ID, 0, "first"))).containsExactly(ID);
		assertThat(read(ID)).isEqualTo(record(ID, 0, "first"));
		assertThat(replace(record(ID, 0, "second"))).isEmpty();
		assertThat(replace(record(ID, 1, "second"))).containsExactly(ID);
		insert(record("two", 0, "first"));
		assertThat(remove(record("two", 0, "first"))).containsExactly("two");
	}

	@Test
	void manyRecordsAreReplacedAtOnce() {
		List<StoredRecord> records = IntStream.range(0, 200)
			.mapToObj((i) -> record("id-" + i, 1 + i, "first"))
			.toList();
		store().insert(records, TIMEOUT);
		List<StoredRecord> changed = records.stream().map((each) -> each.next(Map.of("text", "second"))).toList();
		assertThat(store().replace(changed, TIMEOUT)).hasSize(200);
		assertThat(store().read(ids(records), TIMEOUT).records().values()).containsExactlyInAnyOrderElementsOf(changed);
	}

	@Test
	void onlyRecordsAtThePreviousRevisionAreReplaced() {
		insert(record("one", 1, "first"), record("two", 2, "first"), record("three", 1, "first"));
		Set<String> replaced = replace(record("one", 2, "second"), record("two", 2, "second"),
				record("three", 2, "second"), record("four", 2, "second"));
		assertThat(Set.of("one", "three")).as("nothing else is claimed").containsAll(replaced);
		assertThat(read("one")).isEqualTo(record("one", 2, "second"));
		assertThat(read("two")).isEqualTo(record("two", 2, "first"));
		assertThat(read("three")).isEqualTo(record("three", 2, "second"));
		assertThat(store().read(List.of("four"), TIMEOUT).records()).isEmpty();
	}

	@Test
	void recordIsRemovedOnlyAtTheGivenRevision() {
		insert(record(ID, 5, "first"));
		assertThat(remove(record(ID, 4, "first"))).isEmpty();
		assertThat(remove(record(ID, 6, "first"))).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 5, "first"));
		assertThat(remove(record(ID, 5, "whatever"))).containsExactly(ID);
		assertThat(remove(record(ID, 5, "first"))).isEmpty();
		assertThat(store().read(List.of(ID), TIMEOUT).records()).isEmpty();
		assertThat(insert(record(ID, 9, "second"))).containsExactly(ID);
	}

	@Test
	void onlyRecordsAtTheGivenRevisionAreRemoved() {
		insert(record("one", 1, "first"), record("two", 2, "first"));
		Set<String> removed = remove(record("one", 1, "first"), record("two", 1, "first"), record("three", 1, "first"));
		assertThat(Set.of("one")).as("nothing else is claimed").containsAll(removed);
		assertThat(store().read(List.of("one", "two", "three"), TIMEOUT).records()).containsOnlyKeys("two");
	}

	@Test
	void oneOfManyConcurrentInsertsSucceeds() throws Exception {
		List<Set<String>> inserted = Race.run((racer) -> () -> insert(record(ID, 1, "racer " + racer)));
		assertOneHasCome(inserted, 1);
	}

	@Test
	void oneOfManyConcurrentReplacementsSucceeds() throws Exception {
		insert(record(ID, 1, "first"));
		List<Set<String>> replaced = Race.run((racer) -> () -> replace(record(ID, 2, "racer " + racer)));
		assertOneHasCome(replaced, 2);
	}

	@Test
	void oneOfManyConcurrentRemovalsSucceeds() throws Exception {
		insert(record(ID, 1, "first"));
		assertThat(Race.run((racer) -> () -> remove(record(ID, 1, "first")))).containsOnlyOnce(Set.of(ID));
	}

	/** Each replacement raises it by exactly one. */
	@Test
	void revisionCountsTheReplacements() throws Exception {
		insert(record(ID, 1, "first"));
		List<Integer> replaced = Race.run((racer) -> () -> {
			int done = 0;
			for (int i = 0; i < 20; i++) {
				StoredRecord seen = read(ID);
				done += replace(seen.next(Map.of("text", racer + "-" + i))).size();
			}
			return done;
		});
		assertThat(read(ID).revision()).isEqualTo(1 + replaced.stream().mapToInt(Integer::intValue).sum());
	}

	@Test
	void recordsAreFoundByTheirValue() {
		insert(record("one", 1, "a"), record("two", 2, "b"), record("three", 3, "a"), record("four", 4, "A"));
		replace(record("two", 3, "a"), record("three", 4, "b"));
		remove(record("one", 1, "a"));
		assertThat(find("a").records()).containsOnly(Map.entry("two", record("two", 3, "a")));
		assertThat(find("b").records()).containsOnly(Map.entry("three", record("three", 4, "b")));
		assertThat(find("c").records()).isEmpty();
		assertThat(find("a").damaged()).isEmpty();
	}

	@Test
	void recordsWithoutAValueAreFoundByNull() {
		insert(new StoredRecord("null", 1, Collections.singletonMap("text", null)),
				new StoredRecord("missing", 1, Map.of("note", "x")), record("empty", 1, ""), record("a", 1, "null"));
		assertThat(find(null).records()).containsOnlyKeys("null", "missing");
		assertThat(find("").records()).containsOnlyKeys("empty");
	}

	@Test
	void queryRespectsItsLimit() {
		insert(record("one", 1, "a"), record("two", 1, "a"), record("three", 1, "a"), record("other", 1, "b"));
		assertThat(store().find(new RecordQuery("a", Duration.ZERO, 2), TIMEOUT).records()).hasSize(2)
			.doesNotContainKey("other");
	}

	@Test
	void recentlyReplacedRecordIsNotFoundAsUnchanged() {
		insert(record("one", 1, "a"), record("two", 1, "a"));
		replace(record("one", 2, "a"));
		replace(record("two", 2, "a"));
		assertThat(store().find(new RecordQuery("a", Duration.ofHours(1), 10), TIMEOUT).records()).isEmpty();
		assertThat(find("a").records()).containsOnlyKeys("one", "two");
	}

	@Test
	void replacementIsDatedByTheStore() {
		insert(record("one", 1, "a"), record("two", 1, "a"));
		Instant before = store().now(TIMEOUT);
		replace(record("one", 2, "a"));
		replace(record("one", 3, "a"), record("two", 2, "a"));
		for (RecordReading reading : List.of(store().read(List.of("one", "two"), TIMEOUT), find("a"))) {
			assertThat(reading.changedAt()).containsOnlyKeys("one", "two");
			Instant readAt = (reading.readAt() != null) ? reading.readAt() : store().now(TIMEOUT);
			assertThat(reading.changedAt().values())
				.allSatisfy((date) -> assertThat(date).isBetween(before.minusSeconds(1), readAt.plusSeconds(1)));
		}
		assertThat(store().read(List.of("one"), TIMEOUT).changedAt()).containsOnlyKeys("one");
	}

	@Test
	void sumsAreCalculatedPerValue() {
		insert(record("one", 5, "a"), record("two", 7, "a"), record("three", 11, "b"), record("four", 13, "c"),
				new StoredRecord("five", 17, Map.of("note", "a")));
		assertThat(store().sum(List.of("a", "b", "d"), TIMEOUT)).containsOnly(Map.entry("a", new RecordSum(2, 12)),
				Map.entry("b", new RecordSum(1, 11)));
	}

	/** A caller that knows the sum can tell whether any of the records has changed. */
	@Test
	void eachChangeChangesTheSum() {
		insert(record("one", 5, "a"), record("two", 7, "a"));
		replace(record("one", 6, "a"));
		assertThat(sum("a")).isEqualTo(new RecordSum(2, 13));
		replace(record("one", 7, "b"));
		assertThat(sum("a")).isEqualTo(new RecordSum(1, 7));
		assertThat(sum("b")).isEqualTo(new RecordSum(1, 7));
		insert(record("three", 0, "a"));
		assertThat(sum("a")).isEqualTo(new RecordSum(2, 7));
		remove(record("two", 7, "a"));
		assertThat(sum("a")).isEqualTo(new RecordSum(1, 0));
		remove(record("three", 0, "a"));
		assertThat(sum("a")).isNull();
	}

	@Test
	void watchShowsInsertionReplacementAndRemoval() {
		List<RecordChange> shown = watched(() -> {
			insert(record(ID, 5, "first"));
			replace(record(ID, 6, "second"));
			remove(record(ID, 6, "second"));
		}, (change) -> ID.equals(change.removed()));
		assertThat(shown).contains(RecordChange.removal(ID));
		assertThat(shown).filteredOn((change) -> change.removed() == null)
			.isSubsetOf(RecordChange.of(record(ID, 5, "first")), RecordChange.of(record(ID, 6, "second")),
					RecordChange.UNCLEAR)
			.isNotEmpty();
	}

	@Test
	void watchShowsTheWholeStoredRecord() {
		insert(new StoredRecord(ID, 5, Map.of("text", "first", "note", "hands off")));
		StoredRecord whole = new StoredRecord(ID, 6, Map.of("text", "second", "note", "hands off"));
		assertThat(watched(() -> replace(record(ID, 6, "second")),
				(change) -> change.record() != null && change.record().revision() == 6))
			.contains(RecordChange.of(whole));
		assertThat(read(ID)).isEqualTo(whole);
	}

	@Test
	void watchDoesNotShowFailedChanges() {
		insert(record(ID, 5, "first"));
		List<RecordChange> shown = watched(() -> {
			insert(record(ID, 6, "second"));
			replace(record(ID, 5, "second"));
			remove(record(ID, 4, "first"));
			insert(record("last", 1, "last"));
		}, (change) -> change.record() != null && change.record().id().equals("last"));
		assertThat(shown).doesNotContain(RecordChange.removal(ID))
			.noneMatch((change) -> change.record() != null && "second".equals(change.record().fields().get("text")));
	}

	/** Return the changes that a watch shows, up to the last one. */
	private List<RecordChange> watched(Runnable changes, Predicate<RecordChange> last) {
		List<RecordChange> shown = new ArrayList<>();
		try (RecordWatch watch = watch()) {
			changes.run();
			long end = System.nanoTime() + patience().toNanos();
			while (shown.stream().noneMatch(last)) {
				RecordChange change = watch.next();
				if (change != null) {
					shown.add(change);
				}
				assertThat(System.nanoTime() - end).as("shown so far: " + shown).isNegative();
			}
		}
		return shown;
	}

	private RecordWatch watch() {
		try {
			return store().watch();
		}
		catch (UnsupportedOperationException ex) {
			return Assumptions.abort("A store need not tell of changes: " + ex.getMessage());
		}
	}

	/** Return how long a change may take to be shown. */
	Duration patience() {
		return TIMEOUT;
	}

	private RecordReading find(@Nullable String value) {
		return store().find(new RecordQuery(value, Duration.ZERO, 10), TIMEOUT);
	}

	private @Nullable RecordSum sum(String value) {
		return store().sum(List.of(value), TIMEOUT).get(value);
	}

	@Test
	void timeAdvancesLikeAClock() {
		Instant one = store().now(TIMEOUT);
		assertThat(one).isAfter(Instant.parse("2025-01-01T00:00:00Z"));
		assertThat(store().now(TIMEOUT)).isBetween(one, one.plusSeconds(60));
	}

	private void assertOneHasCome(List<Set<String>> answers, long revision) {
		assertThat(answers).containsOnlyOnce(Set.of(ID));
		assertThat(read(ID)).isEqualTo(record(ID, revision, "racer " + answers.indexOf(Set.of(ID))));
	}

	protected final Set<String> insert(StoredRecord... records) {
		return store().insert(List.of(records), TIMEOUT);
	}

	protected final Set<String> replace(StoredRecord... records) {
		return store().replace(List.of(records), TIMEOUT);
	}

	protected final Set<String> remove(StoredRecord... records) {
		return store().remove(List.of(records), TIMEOUT);
	}

	protected final StoredRecord read(String id) {
		RecordReading reading = store().read(List.of(id), TIMEOUT);
		assertThat(reading.damaged()).isEmpty();
		assertThat(reading.records()).containsKey(id);
		return reading.records().get(id);
	}

	protected static StoredRecord record(String id, long revision, String text) {
		return new StoredRecord(id, revision, Map.of("text", text));
	}

	protected static List<String> ids(Collection<StoredRecord> records) {
		return records.stream().map(StoredRecord::id).toList();
	}

}
