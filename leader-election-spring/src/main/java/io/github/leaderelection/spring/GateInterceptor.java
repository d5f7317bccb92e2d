package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.job.PlannedRun;
import io.micrometer.observation.Observation;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets in calls of gated methods if this process leads. A call is in flight, and
 * observed, until it has returned, or until the stage or future that it returned has
 * completed.
 *
 * @param operations finds the operation of a method
 * @param services the services that all gates use
 */
record GateInterceptor(Function<Method, @Nullable GateOperation> operations,
		GateServices services) implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		GateOperation operation = Objects.requireNonNull(this.operations.apply(invocation.getMethod()));
		if (operation.reactive() != null) {
			return new GateReactive(this.services, operation, operation.reactive()).open(invocation);
		}
		RecordedMethod recorded = operation.recorded();
		PlannedRun planned = (recorded != null) ? recorded.takePlanned() : null;
		GatedCall call = this.services.enter(operation);
		if (call == null) {
			return this.services.isOpenToAll() ? invocation.proceed() : skip(operation);
		}
		return proceed(invocation, operation, planned, new CallInFlight(call));
	}

	private @Nullable Object skip(GateOperation operation) {
		if (operation.skippedResult() == null) {
			throw this.services.refusal(operation);
		}
		Leadership outer = WorkScope.begun(operation.election());
		if (outer != null) {
			// The surrounding work has begun as leader. If its term has ended, it must
			// fail rather than go on as if this call had been made.
			outer.requireHeld();
		}
		return operation.skippedResult().get();
	}

	private @Nullable Object proceed(MethodInvocation invocation, GateOperation operation, @Nullable PlannedRun planned,
			CallInFlight inFlight) throws Throwable {
		RecordedMethod recorded = operation.recorded();
		Object result;
		CompletionStage<?> end;
		try {
			if (recorded != null && planned != null && !inFlight.begin(recorded, planned)) {
				inFlight.end(null);
				return recorded.refused();
			}
			inFlight.observe(this.services, operation.what(), null);
			try (WorkScope inRun = inFlight.enterRun();
					Observation.Scope observed = inFlight.observation().openScope();
					LeaderFence.Scope fenced = operation.fence().open(inFlight.call().leadership())) {
				result = invocation.proceed();
				end = endOf(result);
				if (end == null) {
					operation.fence().returned(fenced);
				}
			}
			if (end != null) {
				inFlight.call().detach(null);
				end.whenComplete((value, failure) -> inFlight.end(failure));
			}
		}
		catch (Throwable ex) {
			inFlight.end(ex);
			throw ex;
		}
		if (end == null) {
			inFlight.end(null);
		}
		return result;
	}

	/**
	 * Return a stage that completes when work in progress ends, or {@code null} if there
	 * is none.
	 */
	private static @Nullable CompletionStage<?> endOf(@Nullable Object result) {
		if (result instanceof CompletionStage<?> stage) {
			return stage;
		}
		if (!(result instanceof Future<?> future)) {
			return null;
		}
		CompletableFuture<@Nullable Object> end = new CompletableFuture<>();
		if (future.isDone()) {
			await(future, end);
		}
		else {
			// A plain future has no callbacks: a thread has to wait for it.
			Thread thread = new Thread(() -> await(future, end), "leader-election-gate");
			thread.setDaemon(true);
			thread.start();
		}
		return end;
	}

	private static void await(Future<?> future, CompletableFuture<@Nullable Object> end) {
		try {
			future.get();
		}
		catch (InterruptedException ex) {
			// Some futures check for an interrupt first, even when they are done.
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | RuntimeException ex) {
			// The caller gets it, too, from the same future
			end.completeExceptionally((ex.getCause() != null) ? ex.getCause() : ex);
		}
		finally {
			end.complete(null);
		}
	}

}
