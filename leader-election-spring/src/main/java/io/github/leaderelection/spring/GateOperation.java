package io.github.leaderelection.spring;

import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.spring.bound.AnnotationValues;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * How calls of one method are gated; created with the bean.
 *
 * @param what the name of the method, for messages
 * @param election the election that must be led
 * @param interruptible whether a call is interrupted, or its subscription canceled, when
 * leadership is lost
 * @param skippedResult what a skipped call returns, or {@code null} if calls are refused
 * with an exception
 * @param reactive adapts the return type if subscriptions are gated, or {@code null} if
 * calls are
 * @param fence fences the transactions of calls
 * @param recorded records the runs that a scheduler starts, {@code null} if they are not
 * recorded
 */
record GateOperation(String what, String election, boolean interruptible, @Nullable SkippedResult skippedResult,
		@Nullable ReactiveAdapter reactive, FencedCalls fence, @Nullable RecordedMethod recorded) {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			GateOperation.class.getClassLoader());

	/**
	 * Determine how a method is gated.
	 * @param method the method
	 * @param services the services that all gates use
	 * @param values resolves the attributes of the annotation
	 * @param recordedMethods creates the recorded method, if runs are recorded
	 * @return the operation
	 * @throws InvalidLeaderOnlyException if the method can't be gated as the annotation
	 * says
	 */
	static GateOperation of(LeaderOnlyMethod method, GateServices services, AnnotationValues values,
			RecordedMethodFactory recordedMethods) {
		ResolvableType returnType = method.returnType();
		ReactiveAdapter adapter = adapterFor(method, returnType.toClass());
		SkippedResult skippedResult = (method.annotation().otherwise() == Otherwise.SKIP)
				? skippedResult(method, returnType, adapter) : null;
		String election = values.election(method.annotation(), method::invalid);
		return new GateOperation(method.shortName(), election,
				method.annotation().interrupt() && services.settings().interruptOnLoss(), skippedResult, adapter,
				(adapter != null) ? FencedCalls.NONE : fence(method, services),
				recordedMethods.create(method, election));
	}

	/**
	 * Fence in enforced mode only: otherwise the terms of this process mean nothing to
	 * other processes.
	 */
	private static FencedCalls fence(LeaderOnlyMethod method, GateServices services) {
		if (!method.annotation().fenced() || services.settings().mode() != GateMode.ENFORCED) {
			return FencedCalls.NONE;
		}
		services.requireFence(method);
		return new FencedCalls(method.shortName(), services::fence);
	}

	private static @Nullable ReactiveAdapter adapterFor(LeaderOnlyMethod method, Class<?> returnType) {
		ReactiveAdapter adapter = returnType.isPrimitive() ? null
				: ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
		// Types that run without a subscription are gated when the method is called.
		if (adapter == null || !adapter.getDescriptor().isDeferred()) {
			return null;
		}
		if (!REACTOR_PRESENT) {
			throw method.invalid("gating %s requires Reactor, which is missing".formatted(returnType.getName()),
					"Add io.projectreactor:reactor-core to the class path");
		}
		if (method.annotation().fenced()) {
			throw method.invalidAttribute("reactive transactions can't be fenced by the annotation",
					"Remove fenced, and pass a ReactiveTermFence in each transaction");
		}
		if (!returnType.isAssignableFrom(adapter.getReactiveType())) {
			throw method.invalid("the gate can't return a %s".formatted(returnType.getName()),
					"Let the method return %s".formatted(adapter.getReactiveType().getSimpleName()));
		}
		return adapter;
	}

	private static SkippedResult skippedResult(LeaderOnlyMethod method, ResolvableType returnType,
			@Nullable ReactiveAdapter adapter) {
		if (adapter != null && adapter.getDescriptor().supportsEmpty()) {
			return () -> null;
		}
		SkippedResult result = (adapter != null) ? null : SkippedResult.of(returnType);
		if (result == null) {
			Class<?> type = returnType.toClass();
			String alternative = type.isPrimitive() ? "void or Optional" : "CompletableFuture";
			throw method.invalid("a skipped call has no %s to return".formatted(type.getTypeName()),
					method.direct() ? "Return %s, or use otherwise = THROW".formatted(alternative)
							: "Annotate the methods of the class one by one, or use otherwise = THROW");
		}
		return result;
	}

}
