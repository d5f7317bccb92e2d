package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RecordStore} that breaks one of the rules.
 */
class CarelessRecordStore implements RecordStore {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final RecordStore sound = new InMemoryRecordStore(RecordStoreContractTests.KIND, InstantSource.system());

	/** Changes that watches show in addition to those of the sound store. */
	private final Queue<RecordChange> made = new ConcurrentLinkedQueue<>();

	private final CyclicBarrier all = new CyclicBarrier(Race.RACERS);

	private final @Nullable Flaw flaw;

	CarelessRecordStore(@Nullable Flaw flaw) {
		this.flaw = flaw;
	}

	@Override
	public synchronized RecordReading read(Collection<String> ids, Duration timeout) {
		return shown(this.sound.read(ids, timeout));
	}

	@Override
	public synchronized RecordReading find(RecordQuery query, Duration timeout) {
		RecordQuery asked = query;
		if (this.flaw == Flaw.FINDS_TOO_MANY) {
			asked = new RecordQuery(query.value(), query.unchangedFor(), query.most() + 1);
		}
		else if (this.flaw == Flaw.FINDS_WHAT_HAS_JUST_CHANGED) {
			asked = new RecordQuery(query.value(), Duration.ZERO, query.most());
		}
		else if (this.flaw == Flaw.FINDS_OTHER_VALUES && "c".equals(query.value())) {
			asked = new RecordQuery("A", query.unchangedFor(), query.most());
		}
		Map<String, StoredRecord> found = new HashMap<>(this.sound.find(asked, timeout).records());
		if (this.flaw == Flaw.FINDS_NOTHING_MISSING) {
			found.values().removeIf((record) -> !record.fields().containsKey("text"));
		}
		RecordReading reading = shown(this.sound.read(found.keySet(), timeout));
		return new RecordReading(found, Map.of(), reading.changedAt(), reading.readAt());
	}

	private RecordReading shown(RecordReading reading) {
		Map<String, StoredRecord> records = new HashMap<>(reading.records());
		Map<String, Instant> changedAt = new HashMap<>(reading.changedAt());
		if (this.flaw == Flaw.SHOWS_NO_EMPTY_TEXT) {
			records.replaceAll((id, record) -> withoutEmptyText(record));
		}
		if (this.flaw == Flaw.SHOWS_WRONG_DATES) {
			changedAt.replaceAll((id, date) -> Instant.EPOCH);
		}
		return new RecordReading(records, reading.damaged(), changedAt, reading.readAt());
	}

	@Override
	public synchronized Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		Map<String, RecordSum> sums = new HashMap<>(this.sound.sum(values, timeout));
		if (this.flaw == Flaw.ADDS_UP_NO_REVISIONS) {
			sums.replaceAll((value, sum) -> new RecordSum(sum.count(), sum.count()));
		}
		if (this.flaw == Flaw.ADDS_UP_ALL_VALUES) {
			RecordSum all = sums.values()
				.stream()
				.reduce(RecordSum.NONE,
						(one, two) -> new RecordSum(one.count() + two.count(), one.revisions() + two.revisions()));
			sums.replaceAll((value, sum) -> all);
		}
		return sums;
	}

	@Override
	public RecordWatch watch() {
		RecordWatch watch = this.sound.watch();
		return new RecordWatch() {

			@Override
			public @Nullable RecordChange next() {
				RecordChange other = CarelessRecordStore.this.made.poll();
				RecordChange change = (other != null) ? other : watch.next();
				boolean hidden = change != null
						&& (CarelessRecordStore.this.flaw == Flaw.SHOWS_NO_REMOVALS && change.removed() != null
								|| CarelessRecordStore.this.flaw == Flaw.SHOWS_WHAT_WAS_SENT && other == null);
				return hidden ? null : change;
			}

			@Override
			public void close() {
				watch.close();
			}

		};
	}

	private static StoredRecord withoutEmptyText(StoredRecord record) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(record.fields());
		fields.values().removeIf(""::equals);
		return new StoredRecord(record.id(), record.revision(), fields);
	}

	@Override
	public synchronized Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		if (this.flaw == Flaw.INSERTS_OVER_WHAT_IS_THERE) {
			records.forEach((record) -> set(record.id(), record));
		}
		if (this.flaw == Flaw.COUNTS_FROM_ONE) {
			return this.sound.insert(records.stream().filter((record) -> record.revision() > 0).toList(), timeout);
		}
		Set<String> inserted = this.sound.insert(records, timeout);
		return (this.flaw == Flaw.CLAIMS_INSERTIONS) ? ids(records) : inserted;
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		if (this.flaw == Flaw.LOOKS_BEFORE_IT_REPLACES) {
			return replaceCarelessly(changed, timeout);
		}
		synchronized (this) {
			return replaceCarelessly(changed, timeout);
		}
	}

	private Set<String> replaceCarelessly(Collection<StoredRecord> changed, Duration timeout) {
		Set<String> forced = new HashSet<>();
		for (StoredRecord record : changed) {
			StoredRecord stored = stored(record.id());
			boolean expected = stored != null && stored.revision() == record.revision() - 1;
			boolean careless = this.flaw != null && switch (this.flaw) {
				case REPLACES_WHATEVER_REVISION -> stored != null;
				case REPLACES_EARLIER_REVISIONS -> stored != null && stored.revision() < record.revision();
				case REPLACES_AGAIN -> stored != null && stored.revision() == record.revision();
				case REPLACES_WHAT_IS_NOT_THERE -> stored == null;
				case FORGETS_OTHER_FIELDS -> expected;
				case LOOKS_BEFORE_IT_REPLACES -> expected && changed.size() == 1 && meet();
				default -> false;
			};
			if (careless) {
				set(record.id(), record);
				forced.add(record.id());
			}
		}
		if (this.flaw == Flaw.SHOWS_WHAT_WAS_SENT || this.flaw == Flaw.SHOWS_WHAT_WAS_NOT_DONE) {
			changed.forEach((record) -> this.made.add(RecordChange.of(record)));
		}
		Set<String> replaced = new HashSet<>(this.sound.replace(changed, timeout));
		replaced.addAll(forced);
		if (this.flaw == Flaw.RAISES_NO_REVISION) {
			replaced.forEach((id) -> {
				StoredRecord stored = stored(id);
				set(id, new StoredRecord(id, stored.revision() - 1, stored.fields()));
			});
		}
		return (this.flaw == Flaw.CLAIMS_REPLACEMENTS) ? ids(changed) : replaced;
	}

	/** Wait until all threads have read the record. */
	private boolean meet() {
		try {
			this.all.await(60, TimeUnit.SECONDS);
			return true;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public synchronized Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		Set<String> removed = new HashSet<>(this.sound.remove(seen, timeout));
		if (this.flaw == Flaw.REMOVES_WHATEVER_REVISION) {
			seen.stream().filter((record) -> stored(record.id()) != null).forEach((record) -> {
				set(record.id(), null);
				removed.add(record.id());
			});
		}
		return (this.flaw == Flaw.CLAIMS_REMOVALS) ? ids(seen) : removed;
	}

	@Override
	public Instant now(Duration timeout) {
		return this.sound.now(timeout);
	}

	private @Nullable StoredRecord stored(String id) {
		return this.sound.read(List.of(id), LONG).records().get(id);
	}

	private synchronized void set(String id, @Nullable StoredRecord record) {
		StoredRecord stored = stored(id);
		if (stored != null) {
			this.sound.remove(List.of(stored), LONG);
		}
		if (record != null) {
			this.sound.insert(List.of(record), LONG);
		}
	}

	private static Set<String> ids(Collection<StoredRecord> records) {
		return records.stream().map(StoredRecord::id).collect(Collectors.toSet());
	}

	/** The flaws, and the contract tests that detect them. */
	enum Flaw {

		INSERTS_OVER_WHAT_IS_THERE("existingRecordIsNotInserted", "onlyMissingRecordsAreInserted"),

		CLAIMS_INSERTIONS("existingRecordIsNotInserted", "oneOfManyConcurrentInsertsSucceeds"),

		REPLACES_WHATEVER_REVISION("recordAtAnotherRevisionIsUnchanged"),

		REPLACES_EARLIER_REVISIONS("recordAtAnotherRevisionIsUnchanged"),

		REPLACES_AGAIN("recordAtAnotherRevisionIsUnchanged", "repeatedReplacementDoesNothing"),

		REPLACES_WHAT_IS_NOT_THERE("replacementCreatesNoRecord"),

		FORGETS_OTHER_FIELDS("unnamedFieldsAreUnchanged"),

		RAISES_NO_REVISION("recordAtThePreviousRevisionIsReplaced"),

		CLAIMS_REPLACEMENTS("recordAtAnotherRevisionIsUnchanged", "onlyRecordsAtThePreviousRevisionAreReplaced"),

		LOOKS_BEFORE_IT_REPLACES("oneOfManyConcurrentReplacementsSucceeds"),

		REMOVES_WHATEVER_REVISION("recordIsRemovedOnlyAtTheGivenRevision", "onlyRecordsAtTheGivenRevisionAreRemoved"),

		CLAIMS_REMOVALS("recordIsRemovedOnlyAtTheGivenRevision", "oneOfManyConcurrentRemovalsSucceeds"),

		SHOWS_NO_EMPTY_TEXT("valuesOfAllTypesAreReadAsTheyWereStored"),

		COUNTS_FROM_ONE("revisionsCanStartAtZero"),

		FINDS_OTHER_VALUES("recordsAreFoundByTheirValue"),

		FINDS_NOTHING_MISSING("recordsWithoutAValueAreFoundByNull"),

		FINDS_TOO_MANY("queryRespectsItsLimit"),

		FINDS_WHAT_HAS_JUST_CHANGED("recentlyReplacedRecordIsNotFoundAsUnchanged"),

		SHOWS_WRONG_DATES("replacementIsDatedByTheStore"),

		ADDS_UP_NO_REVISIONS("sumsAreCalculatedPerValue", "eachChangeChangesTheSum"),

		ADDS_UP_ALL_VALUES("sumsAreCalculatedPerValue"),

		SHOWS_NO_REMOVALS("watchShowsInsertionReplacementAndRemoval"),

		SHOWS_WHAT_WAS_SENT("watchShowsTheWholeStoredRecord"),

		SHOWS_WHAT_WAS_NOT_DONE("watchDoesNotShowFailedChanges");

		private final List<String> foundBy;

		Flaw(String... foundBy) {
			this.foundBy = List.of(foundBy);
		}

		List<String> foundBy() {
			return this.foundBy;
		}

	}

}
