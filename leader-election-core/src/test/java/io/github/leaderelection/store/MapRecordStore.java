package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import org.jspecify.annotations.Nullable;

/**
 * The store that {@code docs/stores.md} shows how to write.
 */
// tag::store[]
class MapRecordStore implements RecordStore {

	private final ConcurrentMap<String, StoredRecord> map = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, Instant> dates = new ConcurrentHashMap<>();

	private final RecordKind kind;

	MapRecordStore(RecordKind kind) {
		this.kind = kind;
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		return change(records, (record) -> this.map.putIfAbsent(record.id(), record) == null);
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		return change(changed, (record) -> {
			StoredRecord stored = this.map.get(record.id());
			return stored != null && stored.revision() == record.revision() - 1
					&& this.map.replace(record.id(), stored, merged(stored, record));
		});
	}

	private static StoredRecord merged(StoredRecord stored, StoredRecord changed) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(stored.fields());
		fields.putAll(changed.fields());
		return new StoredRecord(stored.id(), changed.revision(), fields);
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		return change(seen, (record) -> {
			StoredRecord stored = this.map.get(record.id());
			return stored != null && stored.revision() == record.revision() && this.map.remove(record.id(), stored);
		});
	}

	private Set<String> change(Collection<StoredRecord> records, Predicate<StoredRecord> change) {
		Set<String> done = new HashSet<>();
		for (StoredRecord record : records) {
			if (change.test(record)) {
				this.dates.put(record.id(), now(Duration.ZERO));
				done.add(record.id());
			}
		}
		return done;
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		Map<String, StoredRecord> found = new LinkedHashMap<>(this.map);
		found.keySet().retainAll(Set.copyOf(ids));
		return reading(found);
	}

	@Override
	public RecordReading find(RecordQuery query, Duration timeout) {
		Instant latest = now(timeout).minus(query.unchangedFor());
		Map<String, StoredRecord> found = new LinkedHashMap<>();
		for (StoredRecord record : this.map.values()) {
			boolean matches = Objects.equals(record.fields().get(this.kind.queried()), query.value());
			if (matches && found.size() < query.most() && !this.dates.get(record.id()).isAfter(latest)) {
				found.put(record.id(), record);
			}
		}
		return reading(found);
	}

	private RecordReading reading(Map<String, StoredRecord> found) {
		Map<String, Instant> changedAt = new LinkedHashMap<>(this.dates);
		changedAt.keySet().retainAll(found.keySet());
		return new RecordReading(found, Map.of(), changedAt, now(Duration.ZERO));
	}

	@Override
	public Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		Map<String, RecordSum> sums = new LinkedHashMap<>();
		for (StoredRecord record : this.map.values()) {
			if (record.fields().get(this.kind.queried()) instanceof String value && values.contains(value)) {
				sums.put(value, sums.getOrDefault(value, RecordSum.NONE).plus(record.revision()));
			}
		}
		return sums;
	}

	@Override
	public RecordWatch watch() {
		throw new UnsupportedOperationException("a map tells nobody of its changes");
	}

	@Override
	public Instant now(Duration timeout) {
		return Instant.now();
	}

}
// end::store[]
