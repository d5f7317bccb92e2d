package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Leases, and the sessions of those who hold them, as records. Each change is an insert,
 * or names the revision that it replaces.
 * <p>
 * The first revision of a lease is random, so that a request that was meant for an
 * earlier lease of the same name finds nothing. Leases of elections are never removed.
 * Those of <em>locks</em> can be, once nobody has wanted them for a long time. Before
 * that the <em>floor</em> is raised to their terms; and whoever takes a lease that was
 * never taken before reads the floor, after the lease, and takes a term above both. What
 * an earlier lease of that name was granted became the floor's before that lease was
 * removed, which was before this one could be inserted, which was before the floor was
 * read. So terms never start again.
 */
public final class RecordLeaseStore implements LeaseStore {

	/**
	 * What the ids of the leases of locks begin with: a lock and an election of the same
	 * name have nothing in common, though both can be fenced.
	 */
	public static final String LOCK_PREFIX = "lock:";

	/** What is kept of elections. */
	public static final RecordKind LEASES = LeaseRecords.LEASES;

	/** What is kept of locks. */
	public static final RecordKind LOCKS = LeaseRecords.LOCKS;

	/** What is kept of processes. */
	public static final RecordKind SESSIONS = SessionRecords.KIND;

	private static final Duration RETENTION = Duration.ofHours(1);

	private static final Duration CLEANING_INTERVAL = Duration.ofMinutes(10);

	/** Of very many, these show what is wrong. */
	private static final int MOST_DAMAGES = 5;

	/** Of more sessions that are alive nobody is told. */
	private static final int MOST_SESSIONS = 1000;

	/** A thousand of them can be added up in any number that a store may use. */
	private static final long MOST_FIRST_REVISION = 1L << 40;

	/**
	 * Half of the numbers. What is above was edited, and would leave few to all others if
	 * the floor were raised to it.
	 */
	private static final long MOST_FLOOR = Lease.MAX_TERM / 2;

	/** Others change a record now and then, and not for long. */
	private static final int ATTEMPTS = 5;

	private final RecordStore leases;

	private final RecordStore sessions;

	private final String prefix;

	private final String place;

	private final boolean locks;

	private final InstantSource clock;

	private final LongSupplier firstRevisions;

	private volatile List<String> damaged = List.of();

	/** When to remove sessions that have ended; monotonic time. */
	private volatile long nextCleaning = System.nanoTime();

	RecordLeaseStore(RecordStores stores, String prefix, boolean locks, InstantSource clock,
			LongSupplier firstRevisions) {
		this.leases = stores.store(locks ? LeaseRecords.LOCKS : LeaseRecords.LEASES);
		this.sessions = stores.store(SessionRecords.KIND);
		this.prefix = prefix;
		this.place = stores.place() + (prefix.isEmpty() ? "" : ", with the prefix '" + prefix + "'");
		this.locks = locks;
		this.clock = clock;
		this.firstRevisions = firstRevisions;
	}

	/**
	 * Return the leases of elections.
	 * @param stores where they are kept
	 * @param prefix what comes before the name of each election in the id of its lease,
	 * to tell applications apart; may be empty
	 * @return the store
	 */
	public static RecordLeaseStore forElections(RecordStores stores, String prefix) {
		return new RecordLeaseStore(stores, prefix, false, InstantSource.system(), RecordLeaseStore::random);
	}

	/**
	 * Return the leases of locks.
	 * @param stores where they are kept
	 * @param prefix what comes before the name of each lock in the id of its lease, after
	 * {@value #LOCK_PREFIX}; may be empty
	 * @return the store
	 */
	public static RecordLeaseStore forLocks(RecordStores stores, String prefix) {
		return new RecordLeaseStore(stores, LOCK_PREFIX + prefix, true, InstantSource.system(),
				RecordLeaseStore::random);
	}

	private static long random() {
		return ThreadLocalRandom.current().nextLong(1, MOST_FIRST_REVISION);
	}

	@Override
	public String leaseId(String election) {
		return this.prefix + election;
	}

	@Override
	public String place() {
		return this.place;
	}

	// Leases

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return read(elections, List.of(), timeout);
	}

	/**
	 * Where there are many that are likely to be as they are known, the store adds up
	 * those of each session, and only where that has changed they are read.
	 */
	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		Map<String, Lease> found = new HashMap<>(unchanged(elections, known, limit));
		List<String> others = elections.stream().filter((election) -> !found.containsKey(election)).toList();
		if (others.isEmpty()) {
			return new LeaseReading(found, Map.of());
		}
		RecordReading reading = this.leases.read(others.stream().map(this::leaseId).toList(), limit.left());
		Map<String, String> damages = new HashMap<>();
		reading.damaged().forEach((id, damage) -> damages.put(election(id), damage));
		reading.records().forEach((id, record) -> {
			try {
				found.put(election(id), LeaseRecords.lease(election(id), record));
			}
			catch (DamagedRecordException ex) {
				damages.put(election(id), String.valueOf(ex.getMessage()));
			}
		});
		return new LeaseReading(found, damages);
	}

	private Map<String, Lease> unchanged(Collection<String> elections, Collection<Lease> known, TimeLimit limit) {
		if (elections.size() <= FEW || known.size() <= FEW) {
			return Map.of();
		}
		Map<String, List<Lease>> held = known.stream()
			.filter((lease) -> !lease.isVacant())
			.collect(Collectors.groupingBy((lease) -> String.valueOf(lease.sessionId())));
		Map<String, RecordSum> sums = this.leases.sum(held.keySet(), limit.left());
		Map<String, Lease> unchanged = new HashMap<>();
		held.forEach((session, leases) -> {
			RecordSum sum = RecordSum.NONE;
			for (Lease lease : leases) {
				sum = sum.plus(lease.revision());
			}
			if (sum.equals(sums.get(session))) {
				leases.forEach((lease) -> unchanged.put(lease.election(), lease));
			}
		});
		unchanged.keySet().retainAll(Set.copyOf(elections));
		return unchanged;
	}

	private String election(String id) {
		return id.substring(this.prefix.length());
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		List<StoredRecord> records = vacant.stream()
			.map((lease) -> Lease.vacant(lease.election(), lease.term(), this.firstRevisions.getAsLong(), lease.ttl()))
			.map((lease) -> LeaseRecords.record(leaseId(lease.election()), lease))
			.toList();
		return this.leases.insert(records, timeout).stream().map(this::election).collect(Collectors.toSet());
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		List<LeaseTaking> valid = takings.stream().filter(LeaseTaking::isValid).toList();
		boolean any = this.locks && valid.stream().anyMatch(RecordLeaseStore::isFirst);
		long floor = any ? floor(read(this.leases, LeaseRecords.FLOOR, limit)) : 0;
		Instant now = this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
		Map<String, Lease> wanted = new LinkedHashMap<>();
		for (LeaseTaking taking : valid) {
			Lease lease = taking.taken().electedAt(now);
			wanted.put(leaseId(lease.election()),
					isFirst(taking) ? lease.withTerm(Math.max(lease.term(), floor + 1)) : lease);
		}
		List<StoredRecord> records = new ArrayList<>();
		wanted.forEach((id, lease) -> records.add(LeaseRecords.record(id, lease)));
		Map<String, Lease> taken = new HashMap<>();
		this.leases.replace(records, limit.left())
			.forEach((id) -> taken.put(election(id), Objects.requireNonNull(wanted.get(id))));
		return taken;
	}

	/** Return whether the lease was never taken since it was inserted. */
	private static boolean isFirst(LeaseTaking taking) {
		return taking.expected().electedAt() == null;
	}

	@Override
	public Set<String> release(Collection<LeaseRelease> releases, Duration timeout) {
		List<StoredRecord> records = releases.stream()
			.map((release) -> LeaseRecords.record(leaseId(release.expected().election()),
					release.expected().released(release.successor()), LeaseRecords.RELEASED))
			.toList();
		return this.leases.replace(records, timeout).stream().map(this::election).collect(Collectors.toSet());
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		StoredRecord asked = LeaseRecords.record(leaseId(expected.election()), expected.asking(request),
				LeaseRecords.ASKED);
		return !expected.isVacant() && !this.leases.replace(List.of(asked), timeout).isEmpty();
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		for (int i = 0; i < ATTEMPTS; i++) {
			StoredRecord stored = read(this.leases, leaseId(election), limit);
			if (stored == null || LeaseRecords.isPaused(stored) == paused) {
				return false;
			}
			if (!this.leases.replace(List.of(LeaseRecords.paused(stored, paused)), limit.left()).isEmpty()) {
				return true;
			}
		}
		throw new LeaseStoreException(
				"The lease of '%s' changes all the time".formatted(StoredText.printable(election)), null);
	}

	private static @Nullable StoredRecord read(RecordStore store, String id, TimeLimit limit) {
		return store.read(List.of(id), limit.left()).records().get(id);
	}

	// Unused leases, and the floor

	@Override
	public int removeUnused(Duration unusedFor, int most, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		Map<String, StoredRecord> found = this.leases.find(new RecordQuery(null, unusedFor, most), limit.left())
			.records();
		List<StoredRecord> unused = new ArrayList<>();
		long greatest = 0;
		for (StoredRecord record : found.values()) {
			Lease lease = removable(record);
			if (lease != null) {
				unused.add(record);
				greatest = Math.max(greatest, lease.term());
			}
		}
		if (unused.isEmpty()) {
			return 0;
		}
		raiseFloor(greatest, limit);
		return this.leases.remove(unused, limit.left()).size();
	}

	/** Return the lease, {@code null} if it is to stay. */
	private @Nullable Lease removable(StoredRecord record) {
		try {
			Lease lease = (record.id().startsWith(this.prefix) && !record.id().equals(LeaseRecords.FLOOR))
					? LeaseRecords.lease(election(record.id()), record) : null;
			return (lease != null && lease.isVacant() && !lease.paused() && lease.term() <= MOST_FLOOR) ? lease : null;
		}
		catch (DamagedRecordException ex) {
			return null;
		}
	}

	private static long floor(@Nullable StoredRecord stored) {
		try {
			return (stored != null) ? LeaseRecords.floor(stored) : 0;
		}
		catch (DamagedRecordException ex) {
			throw new LeaseStoreException("The floor of terms can't be understood: " + ex.getMessage()
					+ ". Set it to a number above the terms of all locks", ex);
		}
	}

	private void raiseFloor(long term, TimeLimit limit) {
		for (int i = 0; i < ATTEMPTS; i++) {
			StoredRecord stored = read(this.leases, LeaseRecords.FLOOR, limit);
			if (floor(stored) >= term) {
				return;
			}
			Set<String> raised = (stored != null)
					? this.leases.replace(List.of(LeaseRecords.floor(stored.revision() + 1, term)), limit.left())
					: this.leases.insert(List.of(LeaseRecords.floor(1, term)), limit.left());
			if (!raised.isEmpty()) {
				return;
			}
		}
		throw new LeaseStoreException("The floor of terms could not be raised", null);
	}

	// Sessions

	@Override
	public boolean create(Session session, Duration timeout) {
		return !this.sessions.insert(List.of(SessionRecords.record(session)), timeout).isEmpty();
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return !this.sessions.replace(List.of(SessionRecords.record(renewed)), timeout).isEmpty();
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return !this.sessions.replace(List.of(SessionRecords.record(seen.expired())), timeout).isEmpty();
	}

	@Override
	public void close(Session own, Duration timeout) {
		Set<String> unused = this.sessions.remove(List.of(SessionRecords.record(own)), timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		Map<String, Session> found = new HashMap<>();
		List<String> damages = new ArrayList<>();
		Set<String> rest = new LinkedHashSet<>(ids);
		Instant readAt = null;
		if (others) {
			RecordReading reading = this.sessions
				.find(new RecordQuery(SessionRecords.ALIVE, Duration.ZERO, MOST_SESSIONS), limit.left());
			add(reading, found, damages);
			rest.removeAll(found.keySet());
			readAt = reading.readAt();
		}
		if (!rest.isEmpty()) {
			RecordReading reading = this.sessions.read(rest, limit.left());
			add(reading, found, damages);
			readAt = (reading.readAt() != null) ? reading.readAt() : readAt;
		}
		if (others) {
			removeEndedIfDue(limit);
		}
		if (others || !damages.isEmpty()) {
			this.damaged = damages.stream().distinct().limit(MOST_DAMAGES).toList();
		}
		return new SessionReading(found, readAt);
	}

	private static void add(RecordReading reading, Map<String, Session> found, List<String> damages) {
		Map<String, String> damaged = new HashMap<>(reading.damaged());
		reading.records().forEach((id, record) -> {
			try {
				found.put(id, SessionRecords.session(record, reading.changedAt().get(id)));
			}
			catch (DamagedRecordException ex) {
				damaged.put(id, String.valueOf(ex.getMessage()));
			}
		});
		damaged.forEach((id, damage) -> damages.add("session '%s': %s".formatted(StoredText.printable(id), damage)));
	}

	/** Whoever asks what became of a process should still find its session. */
	private void removeEndedIfDue(TimeLimit limit) {
		long now = System.nanoTime();
		if (now - this.nextCleaning < 0) {
			return;
		}
		this.nextCleaning = now + CLEANING_INTERVAL.toNanos();
		try {
			Collection<StoredRecord> ended = this.sessions
				.find(new RecordQuery(SessionRecords.ENDED, RETENTION, MOST_SESSIONS), limit.left())
				.records()
				.values();
			if (!ended.isEmpty()) {
				Set<String> unused = this.sessions.remove(ended, limit.left());
			}
		}
		catch (LeaseStoreException ex) {
			// What has ended is in nobody's way: it is tried again.
		}
	}

	@Override
	public List<String> damaged() {
		return this.damaged;
	}

	// Changes

	@Override
	public LeaseWatch watch() {
		RecordWatch watch = this.leases.watch();
		return new LeaseWatch() {

			@Override
			public @Nullable LeaseChange next() {
				RecordChange change = watch.next();
				return (change != null) ? leaseChange(change) : null;
			}

			@Override
			public void close() {
				watch.close();
			}

		};
	}

	/** A change of what is no lease of ours is none. */
	private @Nullable LeaseChange leaseChange(RecordChange change) {
		StoredRecord record = change.record();
		String id = (record != null) ? record.id() : change.removed();
		if (id != null && (!id.startsWith(this.prefix) || id.equals(LeaseRecords.FLOOR))) {
			return null;
		}
		if (record == null) {
			return (id != null) ? LeaseChange.removal(election(id)) : new LeaseChange(null);
		}
		try {
			return new LeaseChange(LeaseRecords.lease(election(record.id()), record));
		}
		catch (DamagedRecordException ex) {
			return new LeaseChange(null);
		}
	}

	/** Several requests share the time that one call may take. */
	private static final class TimeLimit {

		private final long end;

		TimeLimit(Duration timeout) {
			this.end = System.nanoTime() + timeout.toNanos();
		}

		Duration left() {
			return Duration.ofNanos(Math.max(1_000_000, this.end - System.nanoTime()));
		}

	}

}
