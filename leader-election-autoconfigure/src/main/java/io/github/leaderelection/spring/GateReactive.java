package io.github.leaderelection.spring;

import java.util.function.Function;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.GatedCall;
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

/**
 * Gates methods that return a reactive type. Each subscription is a call of its own, in
 * flight until it terminates or is cancelled; the method, too, is not called before
 * somebody subscribes, so that nothing of it runs on a follower. When leadership is lost,
 * an interruptible call's subscription is cancelled and ends with
 * {@link LeadershipLostException}. The {@link Leadership} is in the Reactor context under
 * its class.
 * <p>
 * Needs Reactor: not to be loaded without.
 */
final class GateReactive {

	private final ReactiveAdapter adapter;

	GateReactive(ReactiveAdapter adapter) {
		this.adapter = adapter;
	}

	/**
	 * Return the gated publisher of a call.
	 * @param invocation the call
	 * @param operation how it is gated
	 * @param gate lets a subscription in, or returns {@code null}
	 * @return an instance of the method's return type
	 */
	Object open(MethodInvocation invocation, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate) {
		// An invocation can proceed once only, subscribers may be many.
		ProxyMethodInvocation template = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		return this.adapter.fromPublisher(
				this.adapter.isMultiValue() ? flux(template, operation, gate) : mono(template, operation, gate));
	}

	private Flux<?> flux(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate) {
		return Flux.defer(() -> {
			GatedCall entered = gate.apply(operation);
			if (entered == null) {
				return Flux.from(skip(operation));
			}
			return Flux.using(() -> entered, (call) -> {
				Publisher<?> source = proceed(template);
				Sinks.Empty<Object> lost = detach(call, operation);
				return Flux.<Object>from(source)
					.takeUntilOther(lost.asMono().onErrorComplete())
					.concatWith(failureOf(lost))
					.contextWrite((context) -> context.put(Leadership.class, call.leadership()));
			}, GatedCall::end);
		});
	}

	private Mono<?> mono(ProxyMethodInvocation template, GateOperation operation,
			Function<GateOperation, @Nullable GatedCall> gate) {
		return Mono.defer(() -> {
			GatedCall entered = gate.apply(operation);
			if (entered == null) {
				return skip(operation);
			}
			return Mono.using(() -> entered, (call) -> {
				Publisher<?> source = proceed(template);
				Sinks.Empty<Object> lost = detach(call, operation);
				return Mono.<Object>from(source)
					.takeUntilOther(lost.asMono().onErrorComplete())
					.switchIfEmpty(failureOf(lost))
					.contextWrite((context) -> context.put(Leadership.class, call.leadership()));
			}, GatedCall::end);
		});
	}

	private static Mono<Object> skip(GateOperation operation) {
		return (operation.skippedResult() != null) ? Mono.empty() : Mono.error(operation.refusal());
	}

	private Publisher<?> proceed(ProxyMethodInvocation template) {
		try {
			return this.adapter.toPublisher(template.invocableClone().proceed());
		}
		catch (Throwable ex) {
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
