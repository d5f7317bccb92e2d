package io.github.leaderelection.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.UnusableFenceException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.StringUtils;

/**
 * The services that all gates use, looked up only when needed. Beans are gated while they
 * are created, when the engine and its dependencies do not exist yet. Actions that need
 * them are queued until all singletons exist.
 */
public final class GateServices implements SmartInitializingSingleton {

	private final GateSettings settings;

	private final Late<? extends @Nullable LeaderOnlyGate> gate;

	private final Late<ObservationRegistry> observations;

	private final Late<LeaderFence> fence;

	// Guarded by this
	private List<Runnable> waiting = new ArrayList<>();

	/** Whether all singletons exist and all queued actions have run. */
	private volatile boolean ready;

	/**
	 * Create an instance.
	 * @param settings the settings of the gate
	 * @param gate supplies the gate to ask, or {@code null} if there is none
	 * @param observations supplies the registry that observes calls
	 * @param fence supplies the fence for the transactions of fenced methods, or
	 * {@code null} if there is none
	 */
	public GateServices(GateSettings settings, Supplier<? extends @Nullable LeaderOnlyGate> gate,
			Supplier<ObservationRegistry> observations, Supplier<? extends @Nullable LeaderFence> fence) {
		this.settings = settings;
		this.gate = new Late<>(gate);
		this.observations = new Late<>(observations);
		this.fence = new Late<>(() -> usable(fence.get()));
	}

	private static LeaderFence usable(@Nullable LeaderFence fence) {
		if (fence == null) {
			throw new UnusableFenceException("there is no bean of type LeaderFence",
					"Declare a TransactionFence, or let Spring Boot do it: add the starter of a database, such as "
							+ "spring-boot-starter-jdbc");
		}
		fence.requireUsable();
		return fence;
	}

	GateSettings settings() {
		return this.settings;
	}

	/**
	 * Stand in the elections that were named so far, and look up the fence if a method
	 * needs it.
	 * @throws InvalidLeaderOnlyException if an election was named and there is no gate,
	 * or a method needs a fence and there is none
	 */
	@Override
	public void afterSingletonsInstantiated() {
		// Not ready before all actions have run: until then, each call stands in its
		// election itself.
		for (List<Runnable> actions = next(); !actions.isEmpty(); actions = next()) {
			// Outside the lock: a lookup may create beans, which may be gated.
			actions.forEach(Runnable::run);
		}
	}

	/**
	 * Remove and return the queued actions; if there are none, run later ones at once.
	 */
	private synchronized List<Runnable> next() {
		List<Runnable> actions = this.waiting;
		this.waiting = new ArrayList<>();
		this.ready = actions.isEmpty();
		return actions;
	}

	private void whenReady(Runnable action) {
		synchronized (this) {
			if (!this.ready) {
				this.waiting.add(action);
				return;
			}
		}
		action.run();
	}

	/** Stand in an election, once all singletons exist. */
	void stand(String election) {
		whenReady(() -> gate(election).stand(election));
	}

	/**
	 * Require that a method can be fenced, once all singletons exist.
	 * @param method the method
	 * @throws InvalidLeaderOnlyException if it is known that there is no fence
	 */
	void requireFence(LeaderOnlyMethod method) {
		whenReady(() -> {
			try {
				this.fence.get();
			}
			catch (UnusableFenceException ex) {
				throw method.invalidAttribute(StringUtils.uncapitalize(ex.getDescription()), ex.getRemedy());
			}
		});
	}

	LeaderFence fence() {
		return this.fence.get();
	}

	/** Return whether calls run even if they were not let in. */
	boolean isOpenToAll() {
		return this.settings.mode() == GateMode.RUN;
	}

	/**
	 * Let in a call or a subscription, if this process leads.
	 * @param operation how it is gated
	 * @return the call, or {@code null} if it was not let in
	 */
	@Nullable GatedCall enter(GateOperation operation) {
		if (this.settings.mode() == GateMode.SKIP) {
			return null;
		}
		LeaderOnlyGate present = gate(operation.election());
		if (!this.ready) {
			// Called by a bean that is being created
			present.stand(operation.election());
		}
		GatedCall call = present.enter(operation.election(), operation.interruptible());
		if (call != null) {
			call.describe(operation.what());
		}
		else if (this.settings.mode() == GateMode.ENFORCED) {
			present.refuse(operation.election(), operation.skippedResult() == null);
		}
		return call;
	}

	/** Return the exception for a call that was not let in. */
	NotLeaderException refusal(GateOperation operation) {
		if (!this.ready) {
			// The leader is not known yet, and looking it up may create beans.
			return new NotLeaderException(operation.election(), operation.what());
		}
		return gate(operation.election()).refusal(operation.election(), operation.what());
	}

	private LeaderOnlyGate gate(String election) {
		LeaderOnlyGate present = this.gate.get();
		if (present == null) {
			throw new InvalidLeaderOnlyException("election '%s'".formatted(election), "there is no election engine",
					"Let LeaderElectionAutoConfiguration or @EnableLeaderElection create one, "
							+ "or set leader-election.enabled=false");
		}
		return present;
	}

	/**
	 * Start the observation of a call. Creates no object if nothing observes calls.
	 * @param call the call
	 * @param what the name of the method, for messages
	 * @param parent the parent observation, or {@code null} for the current one of the
	 * thread
	 * @return the observation, one that does nothing if nothing observes calls
	 */
	Observation observe(GatedCall call, String what, @Nullable Observation parent) {
		ObservationRegistry registry = this.observations.get();
		if (registry.isNoop()) {
			return Observation.NOOP;
		}
		Observation observation = Observation.createNotStarted(null, new LeaderOnlyObservationConvention(),
				() -> new LeaderOnlyObservationContext(what, call.leadership()), registry);
		if (parent != null) {
			observation.parentObservation(parent);
		}
		return observation.start();
	}

	/**
	 * A service that is looked up when first needed, and kept once it exists.
	 *
	 * @param <T> the type
	 */
	private static final class Late<T extends @Nullable Object> {

		private final Supplier<? extends T> supplier;

		private volatile @Nullable T present;

		Late(Supplier<? extends T> supplier) {
			this.supplier = supplier;
		}

		T get() {
			T found = this.present;
			if (found == null) {
				// Without a lock: the lookup may create beans.
				found = this.supplier.get();
				this.present = found;
			}
			return found;
		}

	}

}
