package io.github.leaderelection.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import org.jspecify.annotations.Nullable;

/**
 * Where processes announce the elections that they stand in: one record each. It is for
 * people, and no safety decision depends on it. It is no part of a {@link Session}, as
 * every process reads sessions every few seconds. Fields are read leniently: one of the
 * wrong type is left out.
 * <p>
 * A process that ends removes its record. Other processes remove those of crashed ones,
 * when they have not been changed for an hour. Safe for use by several threads.
 */
public class CandidateRegistry {

	private static final String STATE = "state";

	private static final String HERE = "here";

	private static final String APPLICATION = "application";

	private static final String HOST = "host";

	private static final String VERSION = "version";

	private static final String ADDRESS = "address";

	private static final String ELECTIONS = "elections";

	private static final String PAUSED = "paused";

	/** The records of candidates. */
	public static final RecordKind CANDIDATES = new RecordKind("candidates",
			Map.of(STATE, FieldType.TEXT, APPLICATION, FieldType.TEXT, HOST, FieldType.TEXT, VERSION, FieldType.TEXT,
					ADDRESS, FieldType.TEXT, ELECTIONS, FieldType.TEXT, PAUSED, FieldType.TEXT),
			STATE);

	/** Separates names, as no name contains it, and marks a checksum. */
	private static final String SEPARATOR = "\n";

	/** Limits the names of a process: all processes read all names every two minutes. */
	private static final int MOST_BYTES_OF_NAMES = 4 * 1024;

	/** How many candidates are listed at most. */
	private static final int MOST = 1000;

	private final RecordStore store;

	private final String prefix;

	private final Retention crashed;

	/** The revisions of the records that this process has entered, by id. */
	private final Map<String, Long> own = new HashMap<>();

	/**
	 * The names of elections that this process last announced, by the text that is stored
	 * for them.
	 */
	private volatile Map<String, Set<String>> known = Map.of();

	private volatile List<String> damaged = List.of();

	/**
	 * Create a registry. Does no I/O.
	 * @param stores where candidates are kept
	 * @param prefix what comes before the name of each election, as in the ids of leases.
	 * Candidates that stand only in elections with other prefixes are not shown, unless
	 * their elections are so many that only a checksum is stored.
	 */
	public CandidateRegistry(RecordStores stores, String prefix) {
		this.store = stores.store(CANDIDATES);
		this.prefix = prefix;
		this.crashed = new Retention(this.store, HERE, MOST);
	}

	/**
	 * Enter the candidate, or replace its entry and mark it as seen now.
	 * @param candidate the candidate
	 * @param timeout how long each of up to six calls of the store may take, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	public synchronized void announce(CandidateRecord candidate, Duration timeout) {
		boolean entered = enter(candidate, timeout);
		// It was changed meanwhile. Try again, now without the known revision.
		if (!entered && !enter(candidate, timeout)) {
			throw new LeaseStoreException(
					"The entry of candidate '%s' keeps changing".formatted(candidate.printable().id()), null);
		}
	}

	/** Return {@code false} if another process has changed or removed the entry. */
	private boolean enter(CandidateRecord candidate, Duration timeout) {
		String id = candidate.id();
		Map<String, @Nullable Object> fields = fields(candidate);
		Long known = this.own.get(id);
		if (known == null) {
			StoredRecord stored = this.store.read(List.of(id), timeout).records().get(id);
			known = (stored != null) ? Long.valueOf(stored.revision()) : null;
		}
		long next = (known != null) ? known + 1 : ThreadLocalRandom.current().nextLong(1, 1L << 40);
		List<StoredRecord> records = List.of(new StoredRecord(id, next, fields));
		Set<String> done = (known != null) ? this.store.replace(records, timeout) : this.store.insert(records, timeout);
		if (done.isEmpty()) {
			// Changed by another process, or by an earlier attempt with unknown outcome.
			this.own.remove(id);
			return false;
		}
		this.own.put(id, next);
		// A store may know the time of a change only after a replacement. Without it, the
		// entry of a process that crashes soon would never be removed.
		return known != null || enter(candidate, timeout);
	}

	private Map<String, @Nullable Object> fields(CandidateRecord candidate) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put(STATE, HERE);
		fields.put(APPLICATION, candidate.application());
		fields.put(HOST, candidate.host());
		fields.put(VERSION, candidate.version());
		fields.put(ADDRESS, candidate.address());
		String elections = stored(candidate.elections());
		String paused = stored(candidate.paused());
		fields.put(ELECTIONS, elections);
		fields.put(PAUSED, paused);
		Map<String, Set<String>> names = new HashMap<>();
		names.put(elections, candidate.elections());
		names.put(paused, candidate.paused());
		this.known = names;
		return fields;
	}

	/**
	 * Return the names, or a checksum if they are many: a process that stands in the same
	 * elections recognizes it.
	 */
	private String stored(Set<String> names) {
		String joined = names.stream().sorted().map(this.prefix::concat).collect(Collectors.joining(SEPARATOR));
		byte[] bytes = joined.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= MOST_BYTES_OF_NAMES) {
			return joined;
		}
		CRC32C checksum = new CRC32C();
		checksum.update(bytes);
		return SEPARATOR + Long.toHexString(checksum.getValue());
	}

	/**
	 * Remove the candidate's entry if there is one, and this registry has entered it.
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
	 * Return the entries, including those of crashed processes until they are removed.
	 * Some may be missing if there are very many, or if another program wrote them.
	 * @param timeout how long to wait at most, positive
	 * @return the candidates
	 * @throws LeaseStoreException if they could not be read
	 */
	public List<CandidateRecord> findAll(Duration timeout) {
		TimeLimit limit = new TimeLimit(timeout);
		RecordReading reading = this.store.find(new RecordQuery(HERE, Duration.ZERO, MOST), limit.left());
		List<CandidateRecord> found = new ArrayList<>();
		List<String> damages = new ArrayList<>();
		reading.decode((record) -> candidate(record, reading), (record, candidate) -> {
			if (!candidate.elections().isEmpty() || mayBeOurs(textOrEmpty(record, ELECTIONS))) {
				found.add(candidate);
			}
		}, (id, damage) -> damages.add("candidate '%s': %s".formatted(StoredText.printable(id), damage)));
		this.damaged = damages.stream().limit(5).toList();
		this.crashed.removeIfDue(limit);
		return found;
	}

	/** A candidate without elections, or with a checksum, may belong to this prefix. */
	private static boolean mayBeOurs(String elections) {
		return elections.isEmpty() || elections.startsWith(SEPARATOR);
	}

	private CandidateRecord candidate(StoredRecord stored, RecordReading reading) {
		Set<String> elections = names(textOrEmpty(stored, ELECTIONS), Set.of());
		return new CandidateRecord(stored.id(), textOrEmpty(stored, APPLICATION), textOrEmpty(stored, HOST),
				stored.textIfAny(VERSION), stored.textIfAny(ADDRESS), elections,
				reading.changedAt().getOrDefault(stored.id(), reading.readAt()),
				names(textOrEmpty(stored, PAUSED), elections));
	}

	private static String textOrEmpty(StoredRecord stored, String field) {
		return Objects.requireNonNullElse(stored.textIfAny(field), "");
	}

	/**
	 * Return the names that have the prefix of this process, without it.
	 * @param unknown what to return for a checksum that this process does not know
	 */
	private Set<String> names(String stored, Set<String> unknown) {
		if (stored.startsWith(SEPARATOR)) {
			return this.known.getOrDefault(stored, unknown);
		}
		return Arrays.stream(stored.split(SEPARATOR))
			.filter((name) -> name.startsWith(this.prefix) && !name.equals(this.prefix))
			.map((name) -> name.substring(this.prefix.length()))
			// No election has such a name, and people read these.
			.filter((name) -> !StoredText.MISLEADING.matcher(name).find())
			.collect(Collectors.toSet());
	}

	/**
	 * Return the entries that the last read left out, because they can't be understood.
	 * For people only; does no I/O.
	 * @return where each one is and what is wrong with it, fit for one line each; of very
	 * many, some
	 */
	public List<String> damaged() {
		return this.damaged;
	}

}
