package io.github.leaderelection.spring;

import java.util.function.Function;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
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
	 * @param observations begins the observations of subscriptions
	 * @return an instance of the method's return type
	 */
	Object open(MethodInvocation invocation, GateOperation operation, Function<GateOperation, @Nullable GatedCall> gate,
			GateObservations observations) {
		// An invocation can proceed once only, subscribers may be many.
		ProxyMethodInvocation template = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? flux(template, operation, gate, observations)
				: mono(template, operation, gate, observations));
	}

	private Flux<?> flux(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate, GateObservations observations) {
		return Flux.deferContextual((outer) -> {
			GatedCall entered = gate.apply(operation);
			if (entered == null) {
				return Flux.from(skip(operation));
			}
			Observation observation = observations.start(entered, operation, outer.getOrDefault(OBSERVATION, null));
			return Flux.using(() -> entered, (call) -> {
				Publisher<?> source = proceed(template, observation);
				Sinks.Empty<Object> lost = detach(call, operation);
				return Flux.<Object>from(source)
					.takeUntilOther(lost.asMono().onErrorComplete())
					.concatWith(failureOf(lost))
					.doOnError(observation::error)
					.contextWrite((context) -> within(context, call, observation));
			}, (call) -> {
				call.end();
				observation.stop();
			});
		});
	}

	private Mono<?> mono(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate, GateObservations observations) {
		return Mono.deferContextual((outer) -> {
			GatedCall entered = gate.apply(operation);
			if (entered == null) {
				return skip(operation);
			}
			Observation observation = observations.start(entered, operation, outer.getOrDefault(OBSERVATION, null));
			return Mono.using(() -> entered, (call) -> {
				Publisher<?> source = proceed(template, observation);
				Sinks.Empty<Object> lost = detach(call, operation);
				return Mono.<Object>from(source)
					.takeUntilOther(lost.asMono().onErrorComplete())
					.switchIfEmpty(failureOf(lost))
					.doOnError(observation::error)
					.contextWrite((context) -> within(context, call, observation));
			}, (call) -> {
				call.end();
				observation.stop();
			});
		});
	}

	private static Mono<Object> skip(GateOperation operation) {
		return (operation.skippedResult() != null) ? Mono.empty() : Mono.error(operation.refusal());
	}

	private static Context within(Context context, GatedCall call, Observation observation) {
		Context led = context.put(Leadership.class, call.leadership());
		return observation.isNoop() ? led : led.put(OBSERVATION, observation);
	}

	private Publisher<?> proceed(ProxyMethodInvocation template, Observation observation) {
		try (Observation.Scope scope = observation.openScope()) {
			return this.adapter.toPublisher(template.invocableClone().proceed());
		}
		catch (Throwable ex) {
			observation.error(ex);
			throw Exceptions.propagate(ex);
		}
	}

	private static Sinks.Empty<Object> detach(GatedCall call, GateOperation operation) {
		Sinks.Empty<Object> lost = Sinks.empty();
		call.detach(operation.interruptible() ? () -> lost.tryEmitError(new LeadershipLostException(call.leadership()))
				: null);
		return lost;
	}

	// Given to takeUntilOther, the failure would not cancel what it takes from.
	private static Mono<Object> failureOf(Sinks.Empty<Object> lost) {
		return Mono
			.defer(() -> Boolean.TRUE.equals(lost.scan(Scannable.Attr.TERMINATED)) ? lost.asMono() : Mono.empty());
	}

}
