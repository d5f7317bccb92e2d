package io.github.leaderelection.store;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for leases and sessions that were edited by hand: each that can't be understood
 * is damaged, without affecting others, and the message quotes nothing.
 */
class StoredLeaseTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final String SECRET = "x\nERROR forged";

	private final InMemoryRecordStores stores = new InMemoryRecordStores();

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	private static Map<String, @Nullable Object> lease() {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put("holder", "a@b:1-2#7");
		fields.put("term", 3L);
		fields.put("ttlMillis", 20_000L);
		return fields;
	}

	@Test
	void leaseIsReadAsItIsStored() {
		Map<String, @Nullable Object> fields = lease();
		fields.put("electedAt", Instant.EPOCH);
		fields.put("requestTerm", 3L);
		fields.put("requestBy", "c");
		fields.put("paused", true);
		insert(fields);
		assertThat(this.leases.read(List.of("jobs"), List.of(), TIMEOUT).leases()).containsEntry("jobs",
				new Lease("jobs", "a@b:1-2", 7, 3, 5, Duration.ofSeconds(20), Instant.EPOCH, null,
						new HandoverRequest(3, null, "c"), true));
	}

	static Stream<Arguments> damages() {
		return Stream.of(arguments("holder", "", "'holder' must be a string that is not empty but is an empty string"),
				arguments("holder", SECRET, "'holder' must be null, or a candidate, '#' and a number but is a string"),
				arguments("holder", "a#0", "'holder' must be null, or"),
				arguments("holder", 7L, "'holder' must be a string"),
				arguments("holder", "y".repeat(1023) + "#1", "'holder' must have at most 1024 bytes but has 1025"),
				arguments("term", -1L, "'term' must be a whole number between 0 and"),
				arguments("term", Lease.MAX_TERM + 1, "'term' must be a whole number"),
				arguments("term", SECRET, "but is a string"),
				arguments("term", new OtherValue("of type ARRAY"), "of type ARRAY"),
				arguments("ttlMillis", 0L, "'ttlMillis' must be a whole number between 1 and"),
				arguments("ttlMillis", Duration.ofDays(367).toMillis(), "'ttlMillis' must be"));
	}

	@ParameterizedTest
	@MethodSource("damages")
	void unreadableLeaseIsDamaged(String field, Object value, String message) {
		Map<String, @Nullable Object> fields = lease();
		fields.put(field, value);
		insert(fields);
		LeaseReading reading = this.leases.read(List.of("jobs"), List.of(), TIMEOUT);
		assertThat(reading.leases()).isEmpty();
		assertThat(reading.damaged().get("jobs")).contains(message).doesNotContain("forged");
	}

	@ParameterizedTest
	@ValueSource(strings = { "term", "ttlMillis" })
	void missingFieldIsDamage(String field) {
		Map<String, @Nullable Object> fields = lease();
		fields.remove(field);
		insert(fields);
		assertThat(this.leases.read(List.of("jobs"), List.of(), TIMEOUT).damaged().get("jobs"))
			.isEqualTo("'%s' must be a whole number between %d and %d but is missing".formatted(field,
					field.equals("term") ? 0 : 1,
					field.equals("term") ? Lease.MAX_TERM : Duration.ofDays(366).toMillis()));
	}

	@Test
	void unreadableOptionalFieldsAreIgnored() {
		Map<String, @Nullable Object> fields = lease();
		for (String field : List.of("electedAt", "successor", "requestTerm", "requestBy", "paused")) {
			fields.put(field, new OtherValue("of type ARRAY"));
		}
		insert(fields);
		Lease lease = this.leases.read(List.of("jobs"), List.of(), TIMEOUT).leases().get("jobs");
		assertThat(lease.request()).isNull();
		assertThat(lease.paused()).isFalse();
		assertThat(lease.successor()).isNull();
		assertThat(lease.electedAt()).isNull();
	}

	/** An operator who edits a lease should raise its revision, but may forget to. */
	@Test
	void releaseKeepsATermRaisedMeanwhile() {
		insert(lease());
		Lease seen = this.leases.read(List.of("jobs"), List.of(), TIMEOUT).leases().get("jobs");
		Rival.remove(this.stores.store(LeaseStore.LEASES), "jobs");
		Map<String, @Nullable Object> edited = lease();
		edited.put("term", 9L);
		edited.put("paused", true);
		insert(edited);
		this.leases.ask(seen.asking(new HandoverRequest(3, null, "c")), TIMEOUT);
		Lease asked = this.leases.read(List.of("jobs"), List.of(), TIMEOUT).leases().get("jobs");
		this.leases.release(List.of(Lease.vacant("jobs", 3, asked.revision() + 1, asked.ttl())), TIMEOUT);
		Lease released = this.leases.read(List.of("jobs"), List.of(), TIMEOUT).leases().get("jobs");
		assertThat(released.isVacant()).isTrue();
		assertThat(released.term()).isEqualTo(9);
		assertThat(released.paused()).isTrue();
	}

	@Test
	void damagedSessionIsMissingAndReported() {
		RecordStore sessions = this.stores.store(LeaseStore.SESSIONS);
		sessions.insert(List.of(new StoredRecord("a#1", 1, Map.of("state", "zombie", "ttlMillis", 1_000L)),
				new StoredRecord("a#2", 1, Map.of("state", "alive", "ttlMillis", 0L)),
				new StoredRecord("no number", 1, Map.of("state", "alive", "ttlMillis", 1_000L)),
				new StoredRecord("a#3", 1, Map.of("state", "alive", "ttlMillis", 1_000L))), TIMEOUT);
		assertThat(this.leases.sessions(List.of("a#1", "a#2", "no number"), true, TIMEOUT).sessions())
			.containsOnlyKeys("a#3");
		assertThat(this.leases.damaged()).hasSize(3)
			.anyMatch((line) -> line.contains("'a#1'") && line.contains("'state' must be 'alive' or 'ended'"))
			.anyMatch((line) -> line.contains("'a#2'") && line.contains("'ttlMillis' must be"))
			.anyMatch((line) -> line.contains("the id must be a candidate"));
	}

	@Test
	void damagedTermFloorKeepsLocksFromBeingTaken() {
		LeaseStore locks = LeaseStore.forLocks(this.stores, "");
		this.stores.store(LeaseStore.LOCKS)
			.insert(List.of(new StoredRecord("floor\t", 1, Map.of("term", "seven"))), TIMEOUT);
		locks.create(List.of(Lease.vacant("a", 0, 0, Duration.ofSeconds(20))), TIMEOUT);
		Lease vacant = locks.read(List.of("a"), List.of(), TIMEOUT).leases().get("a");
		Lease claim = vacant.taken(Session.first("me", 1, Duration.ofSeconds(20)), 1);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> locks.take(List.of(claim), TIMEOUT))
			.withMessageContaining("Set it to a number above the terms of all locks");
	}

	@Test
	void unreadableTermFloorIsDamaged() {
		RecordReading damaged = new RecordReading(Map.of(), Map.of(TermFloor.ID, "it is too large"));
		RecordStore store = (RecordStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RecordStore.class }, (proxy, method, arguments) -> damaged);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> new TermFloor(store).read(new TimeLimit(TIMEOUT)))
			.withMessageContaining("it is too large");
	}

	private void insert(Map<String, @Nullable Object> fields) {
		this.stores.store(LeaseStore.LEASES).insert(List.of(new StoredRecord("jobs", 5, fields)), TIMEOUT);
	}

}
