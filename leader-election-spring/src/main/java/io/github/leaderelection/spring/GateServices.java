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
 * What all gates ask for, no earlier than needed: beans are gated while they are created,
 * when the engine and all that it depends on do not exist yet. Until all singletons
 * exist, it keeps in mind what is to be asked then.
 */
public final class GateServices implements SmartInitializingSingleton {

	private final GateSettings settings;

	private final Late<? extends @Nullable LeaderOnlyGate> gate;

	private final Late<ObservationRegistry> observations;

	private final Late<LeaderFence> fence;

	// Guarded by this
	private List<Runnable> waiting = new ArrayList<>();

	/** Whether all singletons exist. */
	private volatile boolean ready;

	/**
	 * Create an instance.
	 * @param settings how to gate
	 * @param gate supplies the gate to ask, or {@code null} when there is none
	 * @param observations supplies the registry that observes calls
	 * @param fence supplies what guards the transactions of methods that are fenced, or
	 * {@code null} when there is none
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
	 * Stand in the elections that were named so far, and look for the fence.
	 * @throws InvalidLeaderOnlyException if there are any and no gate or no fence
	 */
	@Override
	public void afterSingletonsInstantiated() {
		// Ready only when all is done: until then each call makes sure that it stands.
		for (List<Runnable> actions = next(); !actions.isEmpty(); actions = next()) {
			// Outside the lock: to ask may mean to create beans, which may be gated.
			actions.forEach(Runnable::run);
		}
	}

	/** Return what waits; if nothing does, nothing has to wait any more. */
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

	/** Whether calls run that were not let in. */
	boolean isOpenToAll() {
		return this.settings.mode() == GateMode.RUN;
	}

	/**
	 * Let a call in, or a subscription.
	 * @param operation how it is gated
	 * @return the call, or {@code null} if it was not let in
	 */
	@Nullable GatedCall enter(GateOperation operation) {
		if (this.settings.mode() == GateMode.SKIP) {
			return null;
		}
		LeaderOnlyGate present = gate(operation.election());
		if (!this.ready) {
			// Called by a bean that is being made
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
			// Whoever leads is not known yet, and to ask may mean to create beans.
			return new NotLeaderException(operation.election(), operation.what());
		}
		return gate(operation.election()).refusal(operation.election(), operation.what());
	}

	private LeaderOnlyGate gate(String election) {
		LeaderOnlyGate present = this.gate.get();
		if (present == null) {
			throw new InvalidLeaderOnlyException("election '%s'".formatted(election), "there is no election engine",
					"Let LeaderElectionAutoConfiguration or @EnableLeaderElection make one, "
							+ "or set leader-election.enabled=false");
		}
		return present;
	}

	/**
	 * Start to observe a call. Where nobody observes, no object is made.
	 * @param call the call
	 * @param what the method, as messages name it
	 * @param parent the observation inside which it is made, or {@code null} for that of
	 * the current thread
	 * @return the observation, one that does nothing if nobody observes
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
	 * Kept once it is there.
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
				// Without a lock: to ask may mean to create beans.
				found = this.supplier.get();
				this.present = found;
			}
			return found;
		}

	}

}
