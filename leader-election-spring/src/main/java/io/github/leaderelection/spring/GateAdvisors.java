package io.github.leaderelection.spring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/**
 * The gates of all kinds of beans, each made when the first bean of its kind is.
 */
final class GateAdvisors {

	private final LeaderOnlyGate gate;

	private final GateSettings settings;

	private final GateObservations observations;

	private final RunRecorder recorder;

	private final FencedMethods fencedMethods;

	private final GateOperationFactory factory;

	private final Map<List<Class<?>>, Collection<LeaderOnlyMethod>> methods = new ConcurrentHashMap<>();

	private final Map<List<Class<?>>, GateAdvisor> advisors = new ConcurrentHashMap<>();

	private final Function<List<Class<?>>, Collection<LeaderOnlyMethod>> finder;

	GateAdvisors(LeaderOnlyGate gate, GateSettings settings, StringValueResolver placeholders,
			GateObservations observations, RunRecorder recorder, FencedMethods fencedMethods) {
		this(gate, settings, placeholders, observations, recorder, fencedMethods, LeaderOnlyMethods::in);
	}

	/** With a finder of one's own, as tests have that know what a wrong one does. */
	GateAdvisors(LeaderOnlyGate gate, GateSettings settings, StringValueResolver placeholders,
			GateObservations observations, RunRecorder recorder, FencedMethods fencedMethods,
			Function<List<Class<?>>, Collection<LeaderOnlyMethod>> finder) {
		this.finder = finder;
		this.gate = gate;
		this.settings = settings;
		this.observations = observations;
		this.recorder = recorder;
		this.fencedMethods = fencedMethods;
		this.factory = new GateOperationFactory(settings, placeholders, fencedMethods);
	}

	/**
	 * Return the gate of a bean, and stand in the elections it names.
	 * @param types the types of the bean
	 * @return the gate, or {@code null} when there is nothing to gate
	 * @throws InvalidLeaderOnlyException if something can't be gated
	 */
	@Nullable GateAdvisor find(List<Class<?>> types) {
		Collection<LeaderOnlyMethod> annotated = methodsOf(types);
		if (annotated.isEmpty()) {
			return null;
		}
		GateAdvisor advisor = this.advisors.get(types);
		if (advisor != null) {
			return advisor;
		}
		advisor = create(new GateOperations(types, annotated, this.factory));
		// In every mode, so that whoever asks about these elections finds them known.
		advisor.operations().all().forEach((operation) -> this.gate.stand(operation.election()));
		return Optional.ofNullable(this.advisors.putIfAbsent(types, advisor)).orElse(advisor);
	}

	/**
	 * Return gates for beans that have properties of their own.
	 * @param others replaces placeholders in election names
	 * @return gates for the same elections
	 */
	GateAdvisors with(StringValueResolver others) {
		return new GateAdvisors(this.gate, this.settings, others, this.observations, this.recorder, this.fencedMethods,
				this.finder);
	}

	/** Require that there is a fence where a method asks for one. */
	void requireFence() {
		this.fencedMethods.verify();
	}

	/** Return a gate that stands before no method. */
	GateAdvisor none() {
		return create(new GateOperations(List.of(), List.of(), this.factory));
	}

	private GateAdvisor create(GateOperations operations) {
		return new GateAdvisor(operations,
				new GateInterceptor(operations, this.gate, this.settings.mode(), this.observations, this.recorder),
				this.settings.order());
	}

	/**
	 * Return what is to be gated.
	 * @param types the types of a bean, see {@link LeaderOnlyMethods}
	 * @return the methods to which {@code @LeaderOnly} applies
	 */
	Collection<LeaderOnlyMethod> methodsOf(List<Class<?>> types) {
		return this.methods.computeIfAbsent(types, this.finder);
	}

}
