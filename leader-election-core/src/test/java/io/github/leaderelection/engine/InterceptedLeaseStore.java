package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.Session;

/**
 * A store that does something before each call, such as throwing.
 */
public class InterceptedLeaseStore extends LeaseStore {

	protected final LeaseStore store;

	private final Interceptor interceptor;

	public InterceptedLeaseStore(LeaseStore store, Interceptor interceptor) {
		super(new InMemoryRecordStores(), "");
		this.store = store;
		this.interceptor = interceptor;
	}

	@Override
	public String leaseId(String election) {
		return this.store.leaseId(election);
	}

	@Override
	public boolean isOfLocks() {
		return this.store.isOfLocks();
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		return call("read", elections, timeout, () -> this.store.read(elections, known, timeout));
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return call("create", vacant, timeout, () -> this.store.create(vacant, timeout));
	}

	@Override
	public Map<String, Lease> take(Collection<Lease> claims, Duration timeout) {
		return call("take", claims, timeout, () -> this.store.take(claims, timeout));
	}

	@Override
	public Set<String> release(Collection<Lease> released, Duration timeout) {
		return call("release", released, timeout, () -> this.store.release(released, timeout));
	}

	@Override
	public boolean ask(Lease asked, Duration timeout) {
		return call("ask", asked, timeout, () -> this.store.ask(asked, timeout));
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return call("pause", election, timeout, () -> this.store.pause(election, paused, timeout));
	}

	@Override
	public int removeUnused(Duration unusedFor, int most, Duration timeout) {
		return call("removeUnused", most, timeout, () -> this.store.removeUnused(unusedFor, most, timeout));
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return call("create", session, timeout, () -> this.store.create(session, timeout));
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return call("renew", renewed, timeout, () -> this.store.renew(renewed, timeout));
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return call("expire", seen, timeout, () -> this.store.expire(seen, timeout));
	}

	@Override
	public void close(Session own, Duration timeout) {
		call("close", own, timeout, () -> {
			this.store.close(own, timeout);
			return true;
		});
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		return call("sessions", ids, timeout, () -> this.store.sessions(ids, others, timeout));
	}

	@Override
	public RecordWatch watch() {
		return call("watch", "", Duration.ZERO, this.store::watch);
	}

	private <T> T call(String method, Object what, Duration timeout, Supplier<T> call) {
		called(method, what, timeout);
		return call.get();
	}

	protected void called(String method, Object what, Duration timeout) {
		this.interceptor.called(method, what, timeout);
	}

	/** Called before each call. */
	@FunctionalInterface
	public interface Interceptor {

		void called(String method, Object what, Duration timeout);

	}

}
