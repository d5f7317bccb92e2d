package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind in memory.
 */
final class InMemoryRecordStore implements RecordStore {

	private final Map<String, StoredRecord> records = new LinkedHashMap<>();

	private final Map<String, Instant> changedAt = new HashMap<>();

	private final Set<Watch> watches = new CopyOnWriteArraySet<>();

	private final String queried;

	private final InstantSource clock;

	InMemoryRecordStore(RecordKind kind, InstantSource clock) {
		this.queried = kind.queried();
		this.clock = clock;
	}

	@Override
	public synchronized RecordReading read(Collection<String> ids, Duration timeout) {
		return reading(Set.copyOf(ids).stream().map(this.records::get).filter(Objects::nonNull));
	}

	@Override
	public synchronized RecordReading find(RecordQuery query, Duration timeout) {
		Instant before = this.clock.instant().minus(query.unchangedFor());
		return reading(this.records.values()
			.stream()
			.filter((record) -> Objects.equals(queried(record), query.value())
					&& !Objects.requireNonNull(this.changedAt.get(record.id())).isAfter(before))
			.limit(query.most()));
	}

	private RecordReading reading(Stream<StoredRecord> records) {
		Map<String, StoredRecord> found = records.collect(Collectors.toMap(StoredRecord::id, Function.identity()));
		Map<String, Instant> dates = new HashMap<>(this.changedAt);
		dates.keySet().retainAll(found.keySet());
		return new RecordReading(found, Map.of(), dates, now(Duration.ZERO));
	}

	@Override
	public synchronized Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		Map<String, RecordSum> sums = new HashMap<>();
		for (StoredRecord record : this.records.values()) {
			if (queried(record) instanceof String value && values.contains(value)) {
				sums.put(value, sums.getOrDefault(value, RecordSum.NONE).plus(record.revision()));
			}
		}
		return sums;
	}

	private @Nullable Object queried(StoredRecord record) {
		return record.fields().get(this.queried);
	}

	@Override
	public synchronized Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		return change(records, (record) -> {
			boolean absent = !this.records.containsKey(record.id());
			if (absent) {
				put(record);
			}
			return absent;
		});
	}

	@Override
	public synchronized Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		return change(changed, (record) -> {
			StoredRecord stored = this.records.get(record.id());
			if (stored == null || stored.revision() != record.revision() - 1) {
				return false;
			}
			Map<String, @Nullable Object> fields = new LinkedHashMap<>(stored.fields());
			fields.putAll(record.fields());
			put(new StoredRecord(record.id(), record.revision(), fields));
			return true;
		});
	}

	@Override
	public synchronized Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		return change(seen, (record) -> {
			StoredRecord stored = this.records.get(record.id());
			boolean same = stored != null && stored.revision() == record.revision();
			if (same) {
				this.records.remove(record.id());
				this.changedAt.remove(record.id());
				show(RecordChange.removal(record.id()));
			}
			return same;
		});
	}

	private static Set<String> change(Collection<StoredRecord> records, Predicate<StoredRecord> change) {
		return records.stream().filter(change).map(StoredRecord::id).collect(Collectors.toSet());
	}

	private void put(StoredRecord record) {
		this.records.put(record.id(), record);
		this.changedAt.put(record.id(), now(Duration.ZERO));
		show(RecordChange.of(record));
	}

	@Override
	public Instant now(Duration timeout) {
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	@Override
	public RecordWatch watch() {
		Watch watch = new Watch();
		this.watches.add(watch);
		return watch;
	}

	private void show(RecordChange change) {
		this.watches.forEach((watch) -> watch.show(change));
	}

	/** Drops changes when too many wait to be fetched, as a watch may do. */
	private final class Watch implements RecordWatch {

		private static final int CAPACITY = 1024;

		private final BlockingQueue<RecordChange> changes = new ArrayBlockingQueue<>(CAPACITY);

		private volatile boolean closed;

		void show(RecordChange change) {
			boolean kept = this.changes.offer(change);
			if (!kept) {
				this.changes.clear();
				// The dropped changes can be read instead.
				this.changes.add(RecordChange.UNCLEAR);
			}
		}

		@Override
		public @Nullable RecordChange next() {
			if (this.closed) {
				throw new LeaseStoreException("The watch is closed", null);
			}
			try {
				return this.changes.poll(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new LeaseStoreException("Interrupted while waiting for a change", ex);
			}
		}

		@Override
		public void close() {
			this.closed = true;
			InMemoryRecordStore.this.watches.remove(this);
		}

	}

}
