package io.github.leaderelection.spring;

import java.util.function.Function;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.GatedCall;
import io.micrometer.observation.Observation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * Gates methods that return a reactive type. Each subscription is a call of its own, in
 * flight until it terminates or is cancelled; the method, too, is not called before
 * somebody subscribes, so that nothing of it runs on a follower. When leadership is lost,
 * an interruptible call's subscription is cancelled and ends with
 * {@link LeadershipLostException}. The {@link Leadership} is in the Reactor context under
 * its class, and the observation of the call under the key that Micrometer defines.
 * <p>
 * Needs Reactor: not to be loaded without.
 */
final class GateReactive {

	/** Where Micrometer keeps the current observation in the context. */
	private static final String OBSERVATION = "micrometer.observation";

	private final ReactiveAdapter adapter;

	GateReactive(ReactiveAdapter adapter) {
		this.adapter = adapter;
	}

	/**
	 * Return the gated publisher of a call.
	 * @param invocation the call
	 * @param operation how it is gated
	 * @param gate lets a subscription in, or returns {@code null}
	 * @param refusal makes the exception for a subscription that was not let in
	 * @param observations begins the observations of subscriptions
	 * @return an instance of the method's return type
	 */
	Object open(MethodInvocation invocation, GateOperation operation, Function<GateOperation, @Nullable GatedCall> gate,
			Function<GateOperation, NotLeaderException> refusal, GateObservations observations) {
		// An invocation can proceed once only, subscribers may be many.
		ProxyMethodInvocation template = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		return this.adapter
			.fromPublisher(this.adapter.isMultiValue() ? flux(template, operation, gate, refusal, observations)
					: mono(template, operation, gate, refusal, observations));
	}

	private Flux<?> flux(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate, Function<GateOperation, NotLeaderException> refusal,
			GateObservations observations) {
		return Flux.deferContextual((outer) -> {
			GatedCall call = gate.apply(operation);
			if (call == null) {
				return Flux.from(skip(operation, refusal));
			}
			Observation observation = observations.start(call, operation, outer.getOrDefault(OBSERVATION, null));
			return Flux.using(() -> begin(template, operation, call, observation),
					(begun) -> Flux.<Object>from(begun.source)
						.takeUntilOther(endOf(begun.lost))
						.concatWith(failureOf(begun.lost))
						.doOnError(observation::error)
						.contextWrite((context) -> within(context, begun.call, observation)),
					Begun::end);
		});
	}

	private Mono<?> mono(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate, Function<GateOperation, NotLeaderException> refusal,
			GateObservations observations) {
		return Mono.deferContextual((outer) -> {
			GatedCall call = gate.apply(operation);
			if (call == null) {
				return skip(operation, refusal);
			}
			Observation observation = observations.start(call, operation, outer.getOrDefault(OBSERVATION, null));
			return Mono.using(() -> begin(template, operation, call, observation),
					(begun) -> Mono.<Object>from(begun.source)
						.takeUntilOther(endOf(begun.lost))
						.switchIfEmpty(failureOf(begun.lost))
						.doOnError(observation::error)
						.contextWrite((context) -> within(context, begun.call, observation)),
					Begun::end);
		});
	}

	private static Mono<Object> skip(GateOperation operation, Function<GateOperation, NotLeaderException> refusal) {
		return (operation.skippedResult() != null) ? Mono.empty() : Mono.error(refusal.apply(operation));
	}

	private static Context within(Context context, GatedCall call, Observation observation) {
		Context led = context.put(Leadership.class, call.leadership());
		return observation.isNoop() ? led : led.put(OBSERVATION, observation);
	}

	/** Call the method, in the thread that has entered, and detach the call from it. */
	private Begun begin(ProxyMethodInvocation template, GateOperation operation, GatedCall call,
			Observation observation) {
		try {
			Publisher<?> source;
			try (Observation.Scope scope = observation.openScope()) {
				source = this.adapter.toPublisher(template.invocableClone().proceed());
			}
			Leadership leadership = call.leadership();
			Sinks.Empty<Object> lost = Sinks.empty();
			call.detach(operation.interruptible() ? () -> lost.tryEmitError(leadership.lostException()) : null);
			return new Begun(source, call, lost, observation);
		}
		catch (Throwable ex) {
			call.close();
			observation.error(ex);
			observation.stop();
			throw Exceptions.propagate(ex);
		}
	}

	private static Mono<Object> endOf(Sinks.Empty<Object> lost) {
		return lost.asMono().onErrorComplete();
	}

	// Given to takeUntilOther, the failure would not cancel what it takes from.
	private static Mono<Object> failureOf(Sinks.Empty<Object> lost) {
		return Mono
			.defer(() -> Boolean.TRUE.equals(lost.scan(Scannable.Attr.TERMINATED)) ? lost.asMono() : Mono.empty());
	}

	/** A subscription that was let in. */
	private record Begun(Publisher<?> source, GatedCall call, Sinks.Empty<Object> lost, Observation observation) {

		void end() {
			this.call.close();
			this.observation.stop();
		}

	}

}
