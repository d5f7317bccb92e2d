package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link LeaseStore} for sessions. Each test begins with an empty
 * store.
 */
public abstract class SessionStoreContractTests {

	protected static final Duration TTL = Duration.ofSeconds(20);

	/** Never reached where a server answers, on however slow a machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String CANDIDATE = "shop@web-1:4711-k3v9";

	protected static final long NUMBER = 4_711_000_000_815L;

	protected static final String ID = CANDIDATE + "#" + NUMBER;

	/** Return the store, empty. */
	protected abstract LeaseStore store();

	/** Remove a session behind the store's back. */
	protected abstract void vanish(String id);

	@Test
	void sessionThatWasNeverCreatedIsMissing() {
		assertMissing();
		assertThat(store().sessions(List.of(), true, TIMEOUT).sessions()).isEmpty();
	}

	@Test
	void createdSessionIsThere() {
		assertThat(store().create(session(1), TIMEOUT)).isTrue();
		assertStored(session(1));
	}

	@Test
	void createLeavesASessionThatIsThereAlone() {
		store().create(session(7), TIMEOUT);
		assertThat(store().create(session(8), TIMEOUT)).isFalse();
		assertThat(store().create(session(7), TIMEOUT)).isFalse();
		assertThat(store().create(session(0), TIMEOUT)).as("a tombstone").isFalse();
		assertStored(session(7));
	}

	@Test
	void renewalIsStoredAndDated() {
		store().create(session(1), TIMEOUT);
		assertThat(store().renew(session(2), TIMEOUT)).isTrue();
		assertStored(session(2));
		SessionReading reading = store().sessions(Set.of(ID), true, TIMEOUT);
		Instant renewedAt = reading.sessions().get(ID).renewedAt();
		assertThat(renewedAt).isNotNull();
		assertThat(reading.readAt()).isBetween(renewedAt, renewedAt.plus(TIMEOUT));
		assertThat(store().renew(session(3), TIMEOUT)).isTrue();
		assertStored(session(3));
	}

	@Test
	void renewalNeverCreates() {
		assertThat(store().renew(session(1), TIMEOUT)).isFalse();
		assertThat(store().renew(session(2), TIMEOUT)).isFalse();
		assertMissing();
		store().create(session(1), TIMEOUT);
		vanish(ID);
		assertThat(store().renew(session(2), TIMEOUT)).isFalse();
		assertMissing();
	}

	@Test
	void renewalReplacesTheRevisionBeforeItOnly() {
		store().create(session(5), TIMEOUT);
		for (long revision : List.of(1L, 4L, 5L, 7L, 900L)) {
			assertThat(store().renew(session(revision), TIMEOUT)).as("revision " + revision).isFalse();
		}
		assertStored(session(5));
	}

	@Test
	void endedSessionStaysEnded() {
		store().create(session(5), TIMEOUT);
		assertThat(store().expire(session(5), TIMEOUT)).isTrue();
		Session ended = session(5).expired();
		assertStored(ended);
		// Nobody makes the next of what has ended, and nothing else can follow.
		for (long revision : List.of(4L, 5L, 6L)) {
			assertThat(store().renew(session(revision), TIMEOUT)).as("revision " + revision).isFalse();
		}
		assertThat(store().expire(session(5), TIMEOUT)).isFalse();
		assertStored(ended);
	}

	@Test
	void endIsRefusedWhenARenewalCameInBetween() {
		store().create(session(5), TIMEOUT);
		Session seen = read();
		store().renew(session(6), TIMEOUT);
		assertThat(store().expire(seen, TIMEOUT)).isFalse();
		assertStored(session(6));
		assertThat(store().renew(session(7), TIMEOUT)).isTrue();
	}

	@Test
	void tombstoneIsEndedAndNeverRenewed() {
		Lease lease = new Lease("jobs", CANDIDATE, NUMBER, 3, 9, TTL, null, null);
		Session tombstone = lease.tombstone();
		assertThat(store().create(tombstone, TIMEOUT)).isTrue();
		assertStored(tombstone);
		assertThat(store().create(session(1), TIMEOUT)).as("a creation that was late").isFalse();
		for (long revision : List.of(2L, 3L, 42L)) {
			assertThat(store().renew(session(revision), TIMEOUT)).as("revision " + revision).isFalse();
		}
		assertStored(tombstone);
		assertThat(store().expire(read(), TIMEOUT)).isTrue();
		assertStored(tombstone.expired());
	}

	@Test
	void closedSessionIsMissing() {
		store().create(session(5), TIMEOUT);
		store().close(session(4), TIMEOUT);
		assertStored(session(5));
		store().close(session(5), TIMEOUT);
		assertMissing();
		store().close(session(5), TIMEOUT);
		assertThat(store().renew(session(6), TIMEOUT)).isFalse();
		assertMissing();
	}

	@Test
	void eachSessionIsOnItsOwn() {
		Session other = new Session(CANDIDATE, NUMBER + 1, 5, Duration.ofMillis(1500), null, false);
		store().create(session(5), TIMEOUT);
		store().create(other, TIMEOUT);
		assertThat(store().renew(other.renewed(), TIMEOUT)).isTrue();
		assertStored(session(5));
		assertStored(other.renewed());
		assertThat(store().expire(session(5), TIMEOUT)).isTrue();
		assertStored(other.renewed());
		store().close(session(5).expired(), TIMEOUT);
		assertStored(other.renewed());
	}

	@Test
	void othersAreReadBesideThoseThatAreNamed() {
		Session other = Session.first("other", 1, TTL);
		store().create(session(5), TIMEOUT);
		store().create(other, TIMEOUT);
		assertThat(store().sessions(List.of(), true, TIMEOUT).sessions()).containsOnlyKeys(ID, other.id());
		assertThat(store().sessions(List.of(ID, ID, "none#1"), true, TIMEOUT).sessions()).containsOnlyKeys(ID,
				other.id());
		store().expire(other, TIMEOUT);
		assertThat(store().sessions(List.of(ID), true, TIMEOUT).sessions()).containsOnlyKeys(ID);
		assertThat(store().sessions(List.of(other.id()), true, TIMEOUT).sessions()).containsOnlyKeys(ID, other.id());
	}

	@Test
	void greatestNumberAndRevisionAreKeptAsTheyAre() {
		Session great = new Session("a#b", Session.MAX_NUMBER, Session.MAX_NUMBER - 1, TTL, null, false);
		store().create(great, TIMEOUT);
		assertStored(great);
		assertThat(store().renew(great.renewed(), TIMEOUT)).isTrue();
		assertStored(great.renewed());
	}

	/** Return the session, alive, at this revision. */
	protected static Session session(long revision) {
		return new Session(CANDIDATE, NUMBER, revision, TTL, null, false);
	}

	protected final Session read() {
		return read(ID);
	}

	private Session read(String id) {
		Session session = store().sessions(List.of(id), true, TIMEOUT).sessions().get(id);
		assertThat(session).as("stored session").isNotNull();
		return session;
	}

	/** Check what is stored, but for when it was renewed. */
	protected final void assertStored(Session expected) {
		assertThat(read(expected.id()).renewedAt(null)).isEqualTo(expected.renewedAt(null));
	}

	private void assertMissing() {
		assertThat(store().sessions(List.of(ID), true, TIMEOUT).sessions()).isEmpty();
	}

}
