package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.WorkScope;
import io.micrometer.observation.Observation;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;

/**
 * Gates methods that return a reactive type. Each subscription is a call of its own, in
 * flight until it terminates or is canceled. The method itself is only called on
 * subscription, so that no part of it runs on a follower. When leadership is lost, the
 * subscription of an interruptible call is canceled and ends with
 * {@link LeadershipLostException}. The {@link Leadership} is in the Reactor context under
 * its class, and the observation of the call under the key that Micrometer defines.
 * <p>
 * Requires Reactor, and must not be loaded without it.
 *
 * @param services the services that all gates use
 * @param operation how the method is gated
 * @param adapter adapts its return type
 */
record GateReactive(GateServices services, GateOperation operation, ReactiveAdapter adapter) {

	/** The key of Micrometer's current observation in the Reactor context. */
	private static final String OBSERVATION = "micrometer.observation";

	/**
	 * Return the gated publisher of a call.
	 * @param invocation the call
	 * @return an instance of the method's return type
	 */
	Object open(MethodInvocation invocation) {
		// An invocation can proceed only once, but there may be several subscribers.
		ProxyMethodInvocation template = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		Flux<Object> gated = Flux.deferContextual((outer) -> subscribe(template, outer));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? gated : gated.singleOrEmpty());
	}

	private Flux<Object> subscribe(ProxyMethodInvocation template, ContextView outer) {
		GatedCall call = this.services.enter(this.operation);
		if (call == null && this.services.isOpenToAll()) {
			return Flux.from(proceed(template));
		}
		if (call == null) {
			Leadership around = WorkScope.begun(this.operation.election());
			return (this.operation.skippedResult() == null) ? Flux.error(this.services.refusal(this.operation))
					: (around != null && !around.isHeld()) ? Flux.error(around.lostException()) : Flux.empty();
		}
		return Flux.using(() -> begin(template, call, outer), (begun) -> {
			Observation observation = begun.inFlight.observation();
			Flux<Object> work = Flux.<Object>from(begun.source).takeUntilOther(endOf(begun.lost));
			// A single value that has been emitted is not followed by the failure.
			Flux<Object> ended = this.adapter.isMultiValue() ? work.concatWith(failureOf(begun.lost))
					: work.switchIfEmpty(failureOf(begun.lost));
			return ended.doOnError(observation::error).contextWrite((context) -> within(context, call, observation));
		}, (begun) -> begun.inFlight.end(null));
	}

	/**
	 * Call the method in the thread that has entered, and detach the call from that
	 * thread.
	 */
	private Begun begin(ProxyMethodInvocation template, GatedCall call, ContextView outer) {
		CallInFlight inFlight = new CallInFlight(call);
		try {
			inFlight.observe(this.services, this.operation.what(), outer.getOrDefault(OBSERVATION, null));
			Publisher<?> source;
			try (Observation.Scope scope = inFlight.observation().openScope()) {
				source = proceed(template);
			}
			Leadership leadership = call.leadership();
			Sinks.Empty<Object> lost = Sinks.empty();
			call.detach(this.operation.interruptible() ? () -> lost.tryEmitError(leadership.lostException()) : null);
			return new Begun(source, inFlight, lost);
		}
		catch (Throwable ex) {
			inFlight.end(Exceptions.unwrap(ex));
			throw Exceptions.propagate(ex);
		}
	}

	private Publisher<Object> proceed(ProxyMethodInvocation template) {
		try {
			return this.adapter.toPublisher(template.invocableClone().proceed());
		}
		catch (Throwable ex) {
			throw Exceptions.propagate(ex);
		}
	}

	private static Context within(Context context, GatedCall call, Observation observation) {
		Context led = context.put(Leadership.class, call.leadership());
		return observation.isNoop() ? led : led.put(OBSERVATION, observation);
	}

	private static Mono<Object> endOf(Sinks.Empty<Object> lost) {
		return lost.asMono().onErrorComplete();
	}

	// Separate from endOf: takeUntilOther would not cancel its source on a failure.
	private static Mono<Object> failureOf(Sinks.Empty<Object> lost) {
		return Mono
			.defer(() -> Boolean.TRUE.equals(lost.scan(Scannable.Attr.TERMINATED)) ? lost.asMono() : Mono.empty());
	}

	/** A subscription that was let in. */
	private record Begun(Publisher<?> source, CallInFlight inFlight, Sinks.Empty<Object> lost) {

	}

}
