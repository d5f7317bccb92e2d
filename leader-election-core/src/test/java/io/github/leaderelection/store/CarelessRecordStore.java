package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A {@link RecordStore} that breaks one of the rules, each in its own way.
 */
class CarelessRecordStore implements RecordStore {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final RecordStore sound = new InMemoryRecordStore();

	private final CyclicBarrier all = new CyclicBarrier(RecordStoreContractTests.RACERS);

	private final @Nullable Flaw flaw;

	CarelessRecordStore(@Nullable Flaw flaw) {
		this.flaw = flaw;
	}

	@Override
	public synchronized RecordReading read(Collection<String> ids, Duration timeout) {
		RecordReading reading = this.sound.read(ids, timeout);
		return (this.flaw == Flaw.SHOWS_NO_NULL) ? new RecordReading(reading.records()
			.values()
			.stream()
			.map(CarelessRecordStore::withoutNull)
			.collect(Collectors.toMap(StoredRecord::id, (record) -> record)), reading.damaged()) : reading;
	}

	private static StoredRecord withoutNull(StoredRecord record) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(record.fields());
		fields.values().removeIf((value) -> value == null);
		return new StoredRecord(record.id(), record.revision(), fields);
	}

	@Override
	public synchronized Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		if (this.flaw == Flaw.INSERTS_OVER_WHAT_IS_THERE) {
			records.forEach((record) -> set(record.id(), record));
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

	/** Wait until all have looked. */
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

	/** What can be broken. */
	enum Flaw {

		INSERTS_OVER_WHAT_IS_THERE, CLAIMS_INSERTIONS, REPLACES_WHATEVER_REVISION, REPLACES_EARLIER_REVISIONS,
		REPLACES_AGAIN, REPLACES_WHAT_IS_NOT_THERE, FORGETS_OTHER_FIELDS, RAISES_NO_REVISION, CLAIMS_REPLACEMENTS,
		LOOKS_BEFORE_IT_REPLACES, REMOVES_WHATEVER_REVISION, CLAIMS_REMOVALS, SHOWS_NO_NULL

	}

}
