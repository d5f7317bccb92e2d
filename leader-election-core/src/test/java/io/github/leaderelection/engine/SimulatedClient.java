package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;

/**
 * A store whose calls take simulated time. A call is performed twice: the first time it
 * only says what it would ask for, and is broken off; the second time the answer is
 * there.
 */
final class SimulatedClient implements LeaseStore {

	private Request asked;

	private Object answer;

	/** Return what the call asks for, without an answer yet. */
	Request ask(StoreCall call) {
		try {
			call.perform();
		}
		catch (BrokenOff ex) {
			return this.asked;
		}
		throw new IllegalStateException("A call that asks for nothing");
	}

	/** Perform the call, with this answer. */
	Consumer<Moment> answer(StoreCall call, Object found) {
		this.answer = found;
		try {
			return call.perform();
		}
		finally {
			this.answer = null;
		}
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return request("read", timeout, false, (mongo) -> mongo.read(elections));
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return request("create", timeout, true, (mongo) -> mongo.create(vacant));
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		return request("take " + takings.stream().map(LeaseTaking::claim).toList(), timeout, true,
				(mongo) -> mongo.take(takings));
	}

	@Override
	public LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		// In an order that does not depend on this JVM.
		TreeSet<LeaseClaim> sorted = new TreeSet<>((one, other) -> one.election().compareTo(other.election()));
		sorted.addAll(claims);
		return request("renew", timeout, true, (mongo) -> mongo.renew(sorted));
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		return request("release " + releases, timeout, true, (mongo) -> mongo.release(releases));
	}

	@Override
	public LeaseWatch watch() {
		throw new UnsupportedOperationException("the simulation pushes by itself");
	}

	@SuppressWarnings("unchecked")
	private <T> T request(String name, Duration timeout, boolean write, Function<SimulatedMongo, T> operation) {
		if (this.answer == null) {
			this.asked = new Request(name, timeout, write, operation);
			throw new BrokenOff();
		}
		return (T) this.answer;
	}

	/**
	 * What is sent to the database.
	 *
	 * @param name what to call it in a trace
	 * @param timeout how long the client waits
	 * @param write whether the answer waits for a majority
	 * @param operation what the primary does
	 */
	record Request(String name, Duration timeout, boolean write, Function<SimulatedMongo, ?> operation) {

	}

	private static final class BrokenOff extends RuntimeException {

		BrokenOff() {
			super(null, null, false, false);
		}

	}

}
