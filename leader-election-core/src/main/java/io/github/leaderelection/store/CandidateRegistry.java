package io.github.leaderelection.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.leaderelection.store.RecordKind.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * Where processes make known that they stand in elections: one record each. It informs
 * people and decides nothing, and so is no part of a {@link Session}, which everybody
 * reads every few seconds. Read leniently: what is of another type than it should be is
 * left out.
 * <p>
 * A process that ends removes its record. Those of crashed ones are removed by others,
 * once they have not been changed for a retention. Safe for use by several threads.
 */
public class CandidateRegistry {

	private static final String STATE = "state";

	private static final String HERE = "here";

	private static final String APPLICATION = "application";

	private static final String HOST = "host";

	private static final String PID = "pid";

	private static final String VERSION = "version";

	private static final String ADDRESS = "address";

	private static final String ELECTIONS = "elections";

	private static final String PAUSED = "paused";

	private static final String DIGEST = "digest";

	private static final String STARTED_AT = "startedAt";

	/**
	 * What is kept of candidates.
	 */
	public static final RecordKind CANDIDATES = new RecordKind("candidates",
			Map.of(STATE, FieldType.TEXT, APPLICATION, FieldType.TEXT, HOST, FieldType.TEXT, PID, FieldType.NUMBER,
					VERSION, FieldType.TEXT, ADDRESS, FieldType.TEXT, ELECTIONS, FieldType.TEXT, PAUSED, FieldType.TEXT,
					DIGEST, FieldType.TEXT, STARTED_AT, FieldType.DATE),
			STATE);

	/** No name has one. */
	private static final String SEPARATOR = "\n";

	/** Of names of elections; whoever stands in very many is listed with some of them. */
	private static final int MOST_BYTES_OF_NAMES = 4 * 1024;

	/** Of more candidates nobody is told. */
	private static final int MOST = 1000;

	/** Whoever asks what became of a candidate should still find it. */
	private static final Duration RETENTION = Duration.ofHours(1);

	private final RecordStore store;

	private final String prefix;

	private final InstantSource clock;

	/** The revisions of the records of this process. */
	private final Map<String, Long> own = new HashMap<>();

	/**
	 * What tells apart which elections this process was last made known to be ready for.
	 */
	private volatile String digest = "none";

	private volatile List<String> damaged = List.of();

	/**
	 * Create a registry. Does no I/O.
	 * @param stores where candidates are kept
	 * @param prefix what comes before the name of each election, as in the ids of leases.
	 * Candidates that stand in other elections only are not shown.
	 */
	public CandidateRegistry(RecordStores stores, String prefix) {
		this(stores, prefix, InstantSource.system());
	}

	CandidateRegistry(RecordStores stores, String prefix, InstantSource clock) {
		this.store = stores.store(CANDIDATES);
		this.prefix = prefix;
		this.clock = clock;
	}

	/**
	 * Enter the candidate, or replace its entry and mark it as seen now.
	 * @param candidate the candidate
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public synchronized void announce(CandidateRecord candidate, Duration timeout) {
		boolean entered = enter(candidate, timeout);
		// Somebody has removed it: what was known of it is forgotten now.
		if (!entered && !enter(candidate, timeout)) {
			throw new LeaseStoreException(
					"The entry of candidate '%s' changes all the time".formatted(candidate.printable().id()), null);
		}
	}

	/** Return whether nobody else has changed or removed the entry meanwhile. */
	private boolean enter(CandidateRecord candidate, Duration timeout) {
		String id = candidate.id();
		Map<String, @Nullable Object> fields = fields(candidate);
		Long known = this.own.remove(id);
		if (known == null) {
			// Before it is tried: whatever has come of an earlier attempt is found out.
			StoredRecord stored = this.store.read(List.of(id), timeout).records().get(id);
			known = (stored != null) ? Long.valueOf(stored.revision()) : null;
		}
		if (known == null) {
			fields.put(STARTED_AT, this.clock.instant());
		}
		long next = (known != null) ? known + 1 : ThreadLocalRandom.current().nextLong(1, 1L << 40);
		List<StoredRecord> records = List.of(new StoredRecord(id, next, fields));
		Set<String> done = (known != null) ? this.store.replace(records, timeout) : this.store.insert(records, timeout);
		if (!done.isEmpty()) {
			this.own.put(id, next);
		}
		return !done.isEmpty();
	}

	private Map<String, @Nullable Object> fields(CandidateRecord candidate) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put(STATE, HERE);
		fields.put(APPLICATION, candidate.application());
		fields.put(HOST, candidate.host());
		fields.put(PID, candidate.pid());
		fields.put(VERSION, candidate.version());
		fields.put(ADDRESS, candidate.address());
		fields.put(ELECTIONS, joined(candidate.elections()));
		fields.put(PAUSED, joined(candidate.paused()));
		this.digest = digest(candidate);
		fields.put(DIGEST, this.digest);
		return fields;
	}

	/** Return what tells apart which elections candidates are ready for. */
	private String digest(CandidateRecord candidate) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			for (String name : new TreeSet<>(candidate.elections())) {
				if (!candidate.paused().contains(name)) {
					digest.update((this.prefix + name + SEPARATOR).getBytes(StandardCharsets.UTF_8));
				}
			}
			return HexFormat.of().formatHex(digest.digest(), 0, 16);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String joined(Set<String> names) {
		List<String> some = new ArrayList<>();
		int bytes = 0;
		for (String name : new TreeSet<>(names)) {
			String stored = this.prefix + name;
			bytes += stored.getBytes(StandardCharsets.UTF_8).length + SEPARATOR.length();
			if (bytes <= MOST_BYTES_OF_NAMES) {
				some.add(stored);
			}
		}
		return String.join(SEPARATOR, some);
	}

	/**
	 * Remove the candidate's entry if there is one, and it was entered here.
	 * @param candidateId the id of the candidate
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public synchronized void remove(String candidateId, Duration timeout) {
		Long known = this.own.remove(candidateId);
		if (known != null) {
			Set<String> unused = this.store.remove(List.of(new StoredRecord(candidateId, known, Map.of())), timeout);
		}
	}

	/**
	 * Return the entries, those of crashed processes too until they are removed. Of very
	 * many, and of what no process of ours has entered, some may be missing.
	 * @param timeout how long to wait at most, positive
	 * @return the candidates
	 * @throws LeaseStoreException if they could not be read
	 */
	public List<CandidateRecord> findAll(Duration timeout) {
		RecordReading reading = this.store.find(new RecordQuery(HERE, Duration.ZERO, MOST), timeout);
		Instant readAt = reading.readAt();
		List<CandidateRecord> found = new ArrayList<>();
		List<StoredRecord> old = new ArrayList<>();
		reading.records().forEach((id, record) -> {
			Instant seenAt = reading.changedAt().get(id);
			if (seenAt != null && readAt != null && seenAt.isBefore(readAt.minus(RETENTION))) {
				old.add(record);
			}
			else {
				found.add(candidate(record, (seenAt != null) ? seenAt : readAt));
			}
		});
		this.damaged = reading.damaged()
			.entrySet()
			.stream()
			.map((each) -> "candidate '%s': %s".formatted(StoredText.printable(each.getKey()), each.getValue()))
			.limit(5)
			.toList();
		removeOld(old, timeout);
		return found.stream()
			.filter((each) -> each.elections().isEmpty() || !inside(each.elections()).isEmpty())
			.map((each) -> each.standingIn(inside(each.elections()), inside(each.paused())))
			.toList();
	}

	private void removeOld(List<StoredRecord> old, Duration timeout) {
		if (old.isEmpty()) {
			return;
		}
		try {
			Set<String> unused = this.store.remove(old, timeout);
		}
		catch (LeaseStoreException ex) {
			// They are read and tried again the next time, and cost nothing else.
		}
	}

	private CandidateRecord candidate(StoredRecord stored, @Nullable Instant seenAt) {
		return new CandidateRecord(stored.id(), textOrEmpty(stored, APPLICATION), textOrEmpty(stored, HOST),
				(stored.fields().get(PID) instanceof Long pid) ? pid : 0, stored.textIfAny(VERSION),
				stored.textIfAny(ADDRESS), names(stored, ELECTIONS), stored.dateIfAny(STARTED_AT), seenAt,
				names(stored, PAUSED), Objects.equals(this.digest, stored.textIfAny(DIGEST)));
	}

	private static String textOrEmpty(StoredRecord stored, String field) {
		return Objects.requireNonNullElse(stored.textIfAny(field), "");
	}

	private static Set<String> names(StoredRecord stored, String field) {
		String joined = textOrEmpty(stored, field);
		return joined.isEmpty() ? Set.of() : Arrays.stream(joined.split(SEPARATOR)).collect(Collectors.toSet());
	}

	private Set<String> inside(Collection<String> names) {
		Function<String, String> strip = (name) -> name.substring(this.prefix.length());
		return names.stream()
			.filter((name) -> name.startsWith(this.prefix) && !name.equals(this.prefix))
			.map(strip)
			.collect(Collectors.toSet());
	}

	/**
	 * Return what was left out when the entries were read last, because it can't be
	 * understood. For people only; does no I/O.
	 * @return where it is and what is wrong with it, fit for one line each; of very many,
	 * some
	 */
	public List<String> damaged() {
		return this.damaged;
	}

}
