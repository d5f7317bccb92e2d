package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.Session;

/**
 * A store that makes watchers end sessions too early: it shows sessions with a third of
 * their time to live, so they are ended while their processes may still lead.
 */
final class ImpatientLeaseStore extends LeaseStore {

	private static final int HASTE = 3;

	ImpatientLeaseStore(RecordStores stores) {
		super(stores, "");
	}

	/** End the session with its stored time to live, not with the shortened one. */
	@Override
	public boolean expire(Session seen, Duration timeout) {
		Session stored = super.sessions(Set.of(seen.id()), false, timeout).sessions().get(seen.id());
		return stored != null && stored.isSameRevisionAs(seen) && super.expire(stored, timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		SessionReading reading = super.sessions(ids, others, timeout);
		Map<String, Session> sessions = new HashMap<>(reading.sessions());
		sessions.replaceAll((id, session) -> hasten(session));
		return new SessionReading(sessions, reading.readAt());
	}

	private static Session hasten(Session session) {
		return new Session(session.candidate(), session.number(), session.revision(), session.ttl().dividedBy(HASTE),
				session.renewedAt(), session.ended());
	}

}
