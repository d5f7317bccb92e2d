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

import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;

/**
 * Leases, and the sessions of their holders, as records. Each change is an insert, or
 * names the revision that it replaces (R1).
 * <p>
 * The first revision of a lease is random, so that a request meant for an earlier lease
 * of the same name finds nothing to change. Leases of elections are never removed. Leases
 * of <em>locks</em> can be, once nobody has used them for a long time. Before that, the
 * <em>floor</em> is raised to their terms. A process that is the first to take a lease
 * since its insert reads the floor, after the lease, and takes a term above both. The
 * order makes this safe: first the floor is raised to the terms of the old lease, then
 * that lease is removed, then the new one can be inserted, and then the floor is read. So
 * terms never start again (R2).
 */
public class LeaseStore {

	/**
	 * What the ids of the leases of locks begin with. A lock and an election of the same
	 * name have nothing in common, though both can be fenced.
	 */
	public static final String LOCK_PREFIX = "lock:";

	/** Up to this many leases are always read, whatever the caller knows of them. */
	public static final int FEW = 16;

	/** The leases of elections. */
	public static final RecordKind LEASES = LeaseRecords.LEASES;

	/** The leases of locks. */
	public static final RecordKind LOCKS = LeaseRecords.LOCKS;

	/** The sessions of processes. */
	public static final RecordKind SESSIONS = SessionRecords.KIND;

	/** How many damaged sessions are reported: enough to show what is wrong. */
	private static final int MOST_DAMAGES = 5;

	/** How many sessions are listed at most. */
	private static final int MOST_SESSIONS = 1000;

	/** Low enough for any store to add up a thousand revisions. */
	private static final long MOST_FIRST_REVISION = 1L << 40;

	private final RecordStore leases;

	private final RecordStore sessions;

	private final Retention ended;

	private final String prefix;

	private final String place;

	/** The floor of terms, {@code null} where leases are never removed. */
	private final @Nullable TermFloor floor;

	private final InstantSource clock;

	private final LongSupplier firstRevisions;

	private volatile List<String> damaged = List.of();

	/**
	 * How many sessions were alive when they were last listed: to read them all costs
	 * less than to name most of them.
	 */
	private volatile int alive;

	/**
	 * Create the leases of elections, for tests that override some methods.
	 * @param stores where they are kept
	 * @param prefix what comes before the name of each election; may be empty
	 */
	protected LeaseStore(RecordStores stores, String prefix) {
		this(stores, prefix, false, InstantSource.system(), LeaseStore::random);
	}

	LeaseStore(RecordStores stores, String prefix, boolean locks, InstantSource clock, LongSupplier firstRevisions) {
		this.leases = stores.store(locks ? LeaseRecords.LOCKS : LeaseRecords.LEASES);
		this.sessions = stores.store(SessionRecords.KIND);
		this.ended = new Retention(this.sessions, SessionRecords.ENDED, MOST_SESSIONS);
		this.prefix = prefix;
		this.place = stores.place() + (prefix.isEmpty() ? "" : ", with the prefix '" + prefix + "'");
		this.floor = locks ? new TermFloor(this.leases) : null;
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
	public static LeaseStore forElections(RecordStores stores, String prefix) {
		return new LeaseStore(stores, prefix);
	}

	/**
	 * Return the leases of locks.
	 * @param stores where they are kept
	 * @param prefix what comes before the name of each lock in the id of its lease, after
	 * {@value #LOCK_PREFIX}; may be empty
	 * @return the store
	 */
	public static LeaseStore forLocks(RecordStores stores, String prefix) {
		return new LeaseStore(stores, LOCK_PREFIX + prefix, true, InstantSource.system(), LeaseStore::random);
	}

	private static long random() {
		return ThreadLocalRandom.current().nextLong(1, MOST_FIRST_REVISION);
	}

	/**
	 * Return whether these are the leases of locks. Does no I/O.
	 * @return whether leases can be removed, without terms starting again
	 */
	public boolean isOfLocks() {
		return this.floor != null;
	}

	/**
	 * Return the id under which this store keeps the lease of an election. Does no I/O.
	 * @param election the election name
	 * @return the id
	 */
	public String leaseId(String election) {
		return this.prefix + election;
	}

	/**
	 * Describe where leases are kept, as in "database 'shop' of MongoDB". Does no I/O.
	 * @return a phrase for people, without any credentials
	 */
	public String place() {
		return this.place;
	}

	// Leases

	/**
	 * Read the leases of the given elections, in two round trips at most. If there are
	 * many that the caller knows, the store first adds up the revisions for each session,
	 * and leases of a session whose sum is unchanged are not read (R6).
	 * @param elections the election names
	 * @param known the last seen leases of all elections that, as far as the caller
	 * knows, have the same holders as the given ones
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if the leases could not be read
	 */
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		Map<String, Lease> found = new HashMap<>(unchanged(elections, known, limit));
		List<String> others = elections.stream().filter((election) -> !found.containsKey(election)).toList();
		if (others.isEmpty()) {
			return new LeaseReading(found, Map.of());
		}
		Map<String, String> damaged = new HashMap<>();
		this.leases.read(others.stream().map(this::leaseId).toList(), limit.left())
			.decode((record) -> LeaseRecords.lease(election(record.id()), record),
					(record, lease) -> found.put(election(record.id()), lease),
					(id, damage) -> damaged.put(election(id), damage));
		return new LeaseReading(found, damaged);
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

	/**
	 * Create leases, in one round trip, for elections that have none. An existing lease
	 * stays as it is.
	 * @param vacant vacant leases: the term is the last one granted as far as the caller
	 * knows; the time to live is how long others treat the lease as held if it vanishes.
	 * Revision and date are ignored.
	 * @param timeout how long to wait at most, positive
	 * @return the elections whose lease was created by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		List<StoredRecord> records = vacant.stream()
			.map((lease) -> Lease.vacant(lease.election(), lease.term(), this.firstRevisions.getAsLong(), lease.ttl()))
			.map((lease) -> LeaseRecords.record(leaseId(lease.election()), lease))
			.toList();
		return this.leases.insert(records, timeout).stream().map(this::election).collect(Collectors.toSet());
	}

	/**
	 * Take the leases that are exactly as expected, in one round trip if all of them are.
	 * Only the answer to this very call shows what was granted, never a later read that
	 * shows the claimant as holder.
	 * @param claims what {@linkplain Lease#taken follows} from each lease as it is
	 * expected, one for each election at most
	 * @param timeout how long to wait at most, positive
	 * @return the leases known to have been taken, by election, with their dates. Some of
	 * the others may have been taken, too, without proof: they show the claimant as
	 * holder.
	 * @throws LeaseStoreException if the outcome is unknown for all
	 */
	public Map<String, Lease> take(Collection<Lease> claims, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		boolean any = this.floor != null && claims.stream().anyMatch(LeaseStore::isFirst);
		long least = (any && this.floor != null) ? this.floor.read(limit) + 1 : 0;
		Instant now = this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
		Map<String, Lease> wanted = new LinkedHashMap<>();
		for (Lease claim : claims) {
			long term = isFirst(claim) ? Math.max(claim.term(), least) : claim.term();
			wanted.put(leaseId(claim.election()), claim.elected(term, now));
		}
		List<StoredRecord> records = new ArrayList<>();
		wanted.forEach((id, lease) -> records.add(LeaseRecords.record(id, lease)));
		Map<String, Lease> taken = new HashMap<>();
		this.leases.replace(records, limit.left())
			.forEach((id) -> taken.put(election(id), Objects.requireNonNull(wanted.get(id))));
		return taken;
	}

	/** Return whether the lease was never taken since it was inserted. */
	private static boolean isFirst(Lease claim) {
		return claim.electedAt() == null;
	}

	/**
	 * Make leases vacant that are exactly as expected, in one round trip. Their terms
	 * stay.
	 * @param released what {@linkplain Lease#released follows} from each lease as it is
	 * expected
	 * @param timeout how long to wait at most, positive
	 * @return the elections whose leases are known to have been as expected, and are
	 * vacant now. Some of the others may be, too, without proof.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public Set<String> release(Collection<Lease> released, Duration timeout) {
		List<StoredRecord> records = released.stream()
			.map((lease) -> LeaseRecords.record(leaseId(lease.election()), lease, LeaseRecords.RELEASED))
			.toList();
		return this.leases.replace(records, timeout).stream().map(this::election).collect(Collectors.toSet());
	}

	/**
	 * Send a request to the holder of a lease, in one round trip, if the lease is exactly
	 * as expected. It replaces an earlier request. The next taking or release clears it.
	 * @param asked what {@linkplain Lease#asking follows} from the lease as it is
	 * expected
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was as expected, and shows the request from now on
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public boolean ask(Lease asked, Duration timeout) {
		StoredRecord record = LeaseRecords.record(leaseId(asked.election()), asked, LeaseRecords.ASKED);
		return !asked.isVacant() && !this.leases.replace(List.of(record), timeout).isEmpty();
	}

	/**
	 * Pause an election, or resume it, in a few round trips. While it is paused, nobody
	 * may take its lease. The holder keeps the lease until it releases it by itself.
	 * Takings and releases leave the pause as it is.
	 * @param election the election name
	 * @param paused whether nobody may take the lease
	 * @param timeout how long to wait at most, positive
	 * @return whether this was changed; {@code false} if there is no lease, or if it was
	 * so before
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public boolean pause(String election, boolean paused, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		for (int i = 0; i < TermFloor.ATTEMPTS; i++) {
			String id = leaseId(election);
			StoredRecord stored = this.leases.read(List.of(id), limit.left()).records().get(id);
			if (stored == null || LeaseRecords.isPaused(stored) == paused) {
				return false;
			}
			if (!this.leases.replace(List.of(LeaseRecords.paused(stored, paused)), limit.left()).isEmpty()) {
				return true;
			}
		}
		throw new LeaseStoreException("The lease of '%s' keeps changing".formatted(StoredText.printable(election)),
				null);
	}

	/**
	 * Remove leases of locks, with any prefix, that are vacant and have not been changed
	 * for some time. May be called at any time, by any number of processes: a lease that
	 * is taken meanwhile stays. Terms don't start again: the first taking of a lease that
	 * was {@linkplain #create created} in place of a removed one is granted a term above
	 * all that were ever granted under its name. Leases of elections are never removed.
	 * @param unusedFor for how long nobody must have changed the lease, by the clock of
	 * the store; positive
	 * @param most how many leases to remove at most, positive
	 * @param timeout how long to wait at most, positive
	 * @return how many this call has removed
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public int removeUnused(Duration unusedFor, int most, Duration timeout) {
		if (this.floor == null) {
			return 0;
		}
		TimeLimit limit = new TimeLimit(timeout);
		Map<StoredRecord, Lease> unused = new HashMap<>();
		RecordReading vacant = this.leases.find(new RecordQuery(null, unusedFor, most), limit.left());
		vacant.decode((record) -> LeaseRecords.lease(record.id(), record), (record, lease) -> {
			boolean ordinary = !record.id().equals(TermFloor.ID) && lease.term() <= TermFloor.MOST;
			if (ordinary && lease.isVacant() && !lease.paused()) {
				unused.put(record, lease);
			}
		}, (id, damage) -> {
		});
		if (unused.isEmpty()) {
			return 0;
		}
		this.floor.raise(unused.values().stream().mapToLong(Lease::term).max().orElse(0), limit);
		return this.leases.remove(unused.keySet(), limit.left()).size();
	}

	private boolean isOurs(String id) {
		return id.startsWith(this.prefix) && !id.equals(TermFloor.ID);
	}

	// Sessions

	/**
	 * Insert a session, or a tombstone, unless there is one with its id.
	 * @param session the session; its date is ignored
	 * @param timeout how long to wait at most, positive
	 * @return whether it was inserted by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public boolean create(Session session, Duration timeout) {
		return !this.sessions.insert(List.of(SessionRecords.record(session)), timeout).isEmpty();
	}

	/**
	 * Renew a session, if the stored one has the revision before this. Never inserts it.
	 * @param renewed the session with its next revision; its date is ignored
	 * @param timeout how long to wait at most, positive
	 * @return whether it was replaced by this call. Others count the time from when they
	 * first see it, so a renewal that others can't see must not be reported as done.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public boolean renew(Session renewed, Duration timeout) {
		return !this.sessions.replace(List.of(SessionRecords.record(renewed)), timeout).isEmpty();
	}

	/**
	 * End a session for good, if it is exactly as it was seen.
	 * @param seen the session as it was seen, alive
	 * @param timeout how long to wait at most, positive
	 * @return whether it was as expected, and has {@linkplain Session#expired() ended}
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public boolean expire(Session seen, Duration timeout) {
		return !this.sessions.replace(List.of(SessionRecords.record(seen.expired())), timeout).isEmpty();
	}

	/**
	 * Remove a session, if it still has the given revision.
	 * @param own a session of the calling process, which leads nothing under it
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public void close(Session own, Duration timeout) {
		Set<String> unused = this.sessions.remove(List.of(SessionRecords.record(own)), timeout);
	}

	/**
	 * Read the named sessions, and others that are alive.
	 * @param ids the ids of the sessions that must be read
	 * @param others whether to read others, too, up to a limit
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if they could not be read
	 */
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		Map<String, Session> found = new HashMap<>();
		List<String> damages = new ArrayList<>();
		Set<String> rest = new LinkedHashSet<>(ids);
		Instant readAt = null;
		if (others || (ids.size() > FEW && isMostOfAll(ids.size()))) {
			RecordReading reading = this.sessions
				.find(new RecordQuery(SessionRecords.ALIVE, Duration.ZERO, MOST_SESSIONS), limit.left());
			add(reading, found, damages);
			this.alive = found.size();
			rest.removeAll(found.keySet());
			readAt = reading.readAt();
		}
		if (!rest.isEmpty()) {
			RecordReading reading = this.sessions.read(rest, limit.left());
			add(reading, found, damages);
			readAt = (reading.readAt() != null) ? reading.readAt() : readAt;
		}
		if (others) {
			this.ended.removeIfDue(limit);
		}
		if (others || !damages.isEmpty()) {
			this.damaged = damages.stream().distinct().limit(MOST_DAMAGES).toList();
		}
		if (!others) {
			found.keySet().retainAll(Set.copyOf(ids));
		}
		return new SessionReading(found, readAt);
	}

	private boolean isMostOfAll(int number) {
		return this.alive < MOST_SESSIONS && 2 * number >= this.alive;
	}

	private static void add(RecordReading reading, Map<String, Session> found, List<String> damages) {
		reading.decode((record) -> SessionRecords.session(record, reading.changedAt().get(record.id())),
				(record, session) -> found.put(record.id(), session),
				(id, damage) -> damages.add("session '%s': %s".formatted(StoredText.printable(id), damage)));
	}

	/**
	 * Return the sessions that the last read left out, because they can't be understood.
	 * They count as missing. For people only; does no I/O.
	 * @return where each one is and what is wrong with it, fit for one line each; of very
	 * many, some
	 */
	public List<String> damaged() {
		return this.damaged;
	}

	// Changes

	/**
	 * Start to watch all leases. A watch gives hints: changes may arrive late, more than
	 * once, or not at all.
	 * @return the watch, to be closed after use
	 * @throws LeaseStoreException if changes can't be watched now
	 * @throws UnsupportedOperationException if this store can't push changes at all; the
	 * message says why
	 */
	public RecordWatch watch() {
		return this.leases.watch();
	}

	/**
	 * Interpret a change that a watch has shown.
	 * @param change the change
	 * @return the change of a lease, {@code null} if it is of no lease of this store
	 */
	public @Nullable LeaseChange leaseChange(RecordChange change) {
		StoredRecord record = change.record();
		String id = (record != null) ? record.id() : change.removed();
		if (id != null && !isOurs(id)) {
			return null;
		}
		try {
			return new LeaseChange((record != null) ? LeaseRecords.lease(election(record.id()), record) : null,
					(record == null && id != null) ? election(id) : null);
		}
		catch (DamagedRecordException ex) {
			return new LeaseChange(null, null);
		}
	}

	/**
	 * What a store showed when asked for the leases of some elections.
	 *
	 * @param leases the leases by election; an election that is in neither map has no
	 * lease
	 * @param damaged by election, what is wrong with a stored lease that can't be
	 * understood
	 */
	public record LeaseReading(Map<String, Lease> leases, Map<String, String> damaged) {

		public LeaseReading {
			leases = Map.copyOf(leases);
			damaged = Map.copyOf(damaged);
		}

	}

	/**
	 * What a store showed when asked for sessions.
	 *
	 * @param sessions the sessions by id. One that was asked for by its id and is not
	 * here is missing, or can't be understood, which amounts to the same.
	 * @param readAt when they were read, by the clock that dates
	 * {@link Session#renewedAt()}; {@code null} if that is not known
	 */
	public record SessionReading(Map<String, Session> sessions, @Nullable Instant readAt) {

		public SessionReading {
			sessions = Map.copyOf(sessions);
		}

	}

	/**
	 * A change that a watch has shown. If it has neither a lease nor a removal, the event
	 * does not tell what changed: leases should then be read again.
	 *
	 * @param lease the lease after the change, durable as shown, or {@code null}
	 * @param removed the election whose lease was removed, or {@code null}. There may be
	 * a new lease by now.
	 */
	public record LeaseChange(@Nullable Lease lease, @Nullable String removed) {

	}

}
