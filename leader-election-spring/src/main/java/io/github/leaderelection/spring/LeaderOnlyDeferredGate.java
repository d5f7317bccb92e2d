package io.github.leaderelection.spring;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * A gate that asks for the actual one no earlier than needed: beans are gated while they
 * are created, when the engine and all that it depends on do not exist yet. Until all
 * singletons exist, or a gated method is called, it keeps the elections in mind.
 */
public final class LeaderOnlyDeferredGate implements LeaderOnlyGate, SmartInitializingSingleton {

	private final Supplier<? extends @Nullable LeaderOnlyGate> supplier;

	// Guarded by this
	private final Set<String> waiting = new LinkedHashSet<>();

	private volatile @Nullable LeaderOnlyGate gate;

	/** Whether all singletons exist, so that the actual gate may be asked for. */
	private volatile boolean ready;

	/**
	 * Create a gate.
	 * @param supplier of the actual gate, or of {@code null} when there is none
	 */
	public LeaderOnlyDeferredGate(Supplier<? extends @Nullable LeaderOnlyGate> supplier) {
		this.supplier = supplier;
	}

	@Override
	public void stand(String election) {
		LeaderOnlyGate actual;
		synchronized (this) {
			actual = this.gate;
			if (actual == null) {
				this.waiting.add(election);
				if (!this.ready) {
					return;
				}
			}
		}
		if (actual != null) {
			actual.stand(election);
		}
		else {
			resolve(election);
		}
	}

	@Override
	public @Nullable GatedCall enter(String election, boolean interruptible) {
		LeaderOnlyGate actual = this.gate;
		if (actual == null) {
			actual = resolve(election);
		}
		return actual.enter(election, interruptible);
	}

	@Override
	public void refuse(String election, boolean rejected) {
		LeaderOnlyGate actual = this.gate;
		if (actual != null) {
			actual.refuse(election, rejected);
		}
	}

	@Override
	public NotLeaderException refusal(String election, String what) {
		LeaderOnlyGate actual = this.gate;
		return (actual != null) ? actual.refusal(election, what) : LeaderOnlyGate.super.refusal(election, what);
	}

	/**
	 * Stand in the elections found so far.
	 * @throws InvalidLeaderOnlyException if there are any and no gate
	 */
	@Override
	public void afterSingletonsInstantiated() {
		String first;
		synchronized (this) {
			this.ready = true;
			if (this.waiting.isEmpty()) {
				return;
			}
			first = this.waiting.iterator().next();
		}
		resolve(first);
	}

	private LeaderOnlyGate resolve(String election) {
		// Outside the lock: the supplier may create beans, which may stand.
		LeaderOnlyGate actual = this.supplier.get();
		if (actual == null) {
			throw new InvalidLeaderOnlyException("election '%s'".formatted(election),
					"there is no election engine, since there is no store for leases",
					"Add the MongoDB driver and set spring.mongodb.uri, declare a RecordStores bean, "
							+ "or set leader-election.enabled=false");
		}
		synchronized (this) {
			this.waiting.forEach(actual::stand);
			this.waiting.clear();
			this.gate = actual;
		}
		return actual;
	}

}
