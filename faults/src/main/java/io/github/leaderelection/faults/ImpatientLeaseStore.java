package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;

/**
 * A store that lets watchers end sessions too early: it shows sessions with a third of
 * their time to live, so that they are ended while their processes may still lead.
 */
final class ImpatientLeaseStore implements LeaseStore {

	private static final int HASTE = 3;

	private final LeaseStore store;

	ImpatientLeaseStore(LeaseStore store) {
		this.store = store;
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return this.store.read(elections, timeout);
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return this.store.create(vacant, timeout);
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		return this.store.take(takings, timeout);
	}

	@Override
	public Set<String> release(Collection<LeaseRelease> releases, Duration timeout) {
		return this.store.release(releases, timeout);
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return this.store.pause(election, paused, timeout);
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		return this.store.ask(expected, request, timeout);
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return this.store.create(session, timeout);
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return this.store.renew(renewed, timeout);
	}

	/** Only a session with the time to live that is stored is ended. */
	@Override
	public boolean expire(Session seen, Duration timeout) {
		Session stored = this.store.sessions(Set.of(seen.id()), false, timeout).sessions().get(seen.id());
		return stored != null && stored.isSameRevisionAs(seen) && this.store.expire(stored, timeout);
	}

	@Override
	public void close(Session own, Duration timeout) {
		this.store.close(own, timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		SessionReading reading = this.store.sessions(ids, others, timeout);
		Map<String, Session> sessions = new HashMap<>(reading.sessions());
		sessions.replaceAll((id, session) -> hasten(session));
		return new SessionReading(sessions, reading.readAt());
	}

	@Override
	public LeaseWatch watch() {
		return this.store.watch();
	}

	private static Session hasten(Session session) {
		return new Session(session.candidate(), session.number(), session.revision(), session.ttl().dividedBy(HASTE),
				session.renewedAt(), session.ended());
	}

}
