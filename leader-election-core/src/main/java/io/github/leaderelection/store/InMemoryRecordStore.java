package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A {@link RecordStore} in memory, for tests and for processes that are alone. Never
 * waits, so that timeouts have no effect. Safe for use by several threads.
 */
public final class InMemoryRecordStore implements RecordStore {

	private final Map<String, StoredRecord> records = new HashMap<>();

	private final InstantSource clock;

	/**
	 * Create an empty store whose clock is that of the system.
	 */
	public InMemoryRecordStore() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty store.
	 * @param clock its clock
	 */
	public InMemoryRecordStore(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized RecordReading read(Collection<String> ids, Duration timeout) {
		Map<String, StoredRecord> found = new HashMap<>(this.records);
		found.keySet().retainAll(Set.copyOf(ids));
		return new RecordReading(found, Map.of());
	}

	@Override
	public synchronized Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		Set<String> inserted = new HashSet<>();
		for (StoredRecord record : records) {
			if (this.records.putIfAbsent(record.id(), record) == null) {
				inserted.add(record.id());
			}
		}
		return inserted;
	}

	@Override
	public synchronized Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		Set<String> replaced = new HashSet<>();
		for (StoredRecord record : changed) {
			StoredRecord stored = this.records.get(record.id());
			if (stored != null && stored.revision() == record.revision() - 1) {
				Map<String, @Nullable Object> fields = new LinkedHashMap<>(stored.fields());
				fields.putAll(record.fields());
				this.records.put(record.id(), new StoredRecord(record.id(), record.revision(), fields));
				replaced.add(record.id());
			}
		}
		return replaced;
	}

	@Override
	public synchronized Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		Set<String> removed = new HashSet<>();
		for (StoredRecord record : seen) {
			StoredRecord stored = this.records.get(record.id());
			if (stored != null && stored.revision() == record.revision()) {
				this.records.remove(record.id());
				removed.add(record.id());
			}
		}
		return removed;
	}

	@Override
	public Instant now(Duration timeout) {
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

}
