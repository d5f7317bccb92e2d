package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.Session;

/**
 * A store whose calls take simulated time. Each call is made twice: the first time it
 * only records its request, and the result is ignored; the second time it returns the
 * answer.
 */
final class SimulatedClient extends LeaseStore {

	private static final LeaseReading NOTHING_READ = new LeaseReading(Map.of(), Map.of());

	private static final SessionReading NOBODY_SEEN = new SessionReading(Map.of(), null);

	private final String candidate;

	private final boolean locks;

	private Request asked;

	private Object answer;

	SimulatedClient(String candidate, boolean locks) {
		super(new InMemoryRecordStores(), "");
		this.candidate = candidate;
		this.locks = locks;
	}

	@Override
	public boolean isOfLocks() {
		return this.locks;
	}

	/**
	 * Return the request of the call without answering it; {@code null} if the call is
	 * not about leases or sessions.
	 */
	Request ask(StoreCall call) {
		this.asked = null;
		Consumer<Moment> unheard = call.request().get();
		if (unheard == null) {
			throw new IllegalStateException("A call that asks for nothing");
		}
		return this.asked;
	}

	/** Make the call again, with this answer. */
	Consumer<Moment> answer(StoreCall call, Object found) {
		this.answer = found;
		try {
			return call.request().get();
		}
		finally {
			this.answer = null;
		}
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		return request(() -> "read", timeout, false, NOTHING_READ, (mongo) -> mongo.read(elections));
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return request(() -> "create", timeout, true, Set.of(), (mongo) -> mongo.create(vacant));
	}

	@Override
	public Map<String, Lease> take(Collection<Lease> claims, Duration timeout) {
		return request(() -> "take " + claims, timeout, true, Map.of(), (mongo) -> mongo.take(claims));
	}

	@Override
	public Set<String> release(Collection<Lease> released, Duration timeout) {
		return request(() -> "release " + released, timeout, true, Set.of(),
				(mongo) -> mongo.release(released, this.candidate));
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		throw new UnsupportedOperationException("Asked for by people, not by an engine");
	}

	@Override
	public boolean ask(Lease asked, Duration timeout) {
		throw new UnsupportedOperationException("Asked for by people, not by an engine");
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return request(() -> "create " + session, timeout, true, false, (mongo) -> mongo.create(session));
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return request(() -> "renew " + renewed, timeout, true, false, (mongo) -> mongo.renew(renewed));
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return request(() -> "expire " + seen, timeout, true, false, (mongo) -> mongo.expire(seen));
	}

	@Override
	public void close(Session own, Duration timeout) {
		boolean unused = request(() -> "close " + own, timeout, true, false, (mongo) -> mongo.close(own));
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		return request(() -> "watch", timeout, false, NOBODY_SEEN, (mongo) -> mongo.sessions(ids, others));
	}

	@Override
	public RecordWatch watch() {
		throw new UnsupportedOperationException("the simulation pushes by itself");
	}

	@SuppressWarnings("unchecked")
	private <T> T request(Supplier<String> name, Duration timeout, boolean write, T unheard,
			Function<SimulatedMongo, T> operation) {
		if (this.answer == null) {
			this.asked = new Request(name, timeout, write, operation);
			return unheard;
		}
		return (T) this.answer;
	}

	/**
	 * A request to the database.
	 *
	 * @param name its name in a trace
	 * @param timeout how long the client waits
	 * @param write whether the answer waits for a majority
	 * @param operation what the primary does
	 */
	record Request(Supplier<String> name, Duration timeout, boolean write, Function<SimulatedMongo, ?> operation) {

	}

}
