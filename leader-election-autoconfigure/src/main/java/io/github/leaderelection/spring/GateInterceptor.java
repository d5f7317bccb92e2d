package io.github.leaderelection.spring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.leaderelection.engine.GatedCall;
import io.micrometer.observation.Observation;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls of one kind of bean in, or not. A call is in flight, and observed, until it
 * has returned, or until the stage that it returned has completed.
 */
final class GateInterceptor implements MethodInterceptor {

	private final GateOperations operations;

	private final LeaderOnlyGate gate;

	private final GateMode mode;

	private final GateObservations observations;

	GateInterceptor(GateOperations operations, LeaderOnlyGate gate, GateMode mode, GateObservations observations) {
		this.operations = operations;
		this.gate = gate;
		this.mode = mode;
		this.observations = observations;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		GateOperation operation = this.operations.find(invocation.getMethod());
		if (operation == null) {
			throw new IllegalStateException("No gate for " + invocation.getMethod());
		}
		if (operation.reactive() != null && this.mode != GateMode.RUN) {
			return operation.reactive().open(invocation, operation, this::enter, this.observations);
		}
		GatedCall call = enter(operation);
		if (call != null) {
			return proceed(invocation, call, this.observations.start(call, operation));
		}
		return (this.mode == GateMode.RUN) ? invocation.proceed() : operation.skip();
	}

	private @Nullable GatedCall enter(GateOperation operation) {
		if (this.mode == GateMode.SKIP) {
			return null;
		}
		GatedCall call = this.gate.enter(operation.election(), operation.interruptible());
		if (call == null && this.mode == GateMode.ENFORCED) {
			this.gate.refuse(operation.election(), operation.skippedResult() == null);
		}
		return call;
	}

	private static @Nullable Object proceed(MethodInvocation invocation, GatedCall call, Observation observation)
			throws Throwable {
		boolean pending = false;
		try {
			Object result;
			try (Observation.Scope scope = observation.openScope()) {
				result = invocation.proceed();
			}
			pending = awaitEnd(result, call, observation);
			return result;
		}
		catch (Throwable ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			if (!pending) {
				end(call, observation);
			}
		}
	}

	private static boolean awaitEnd(@Nullable Object result, GatedCall call, Observation observation) {
		if (result instanceof CompletionStage<?> stage) {
			call.detach(null);
			stage.whenComplete((value, failure) -> {
				if (failure != null) {
					observation.error(failure);
				}
				end(call, observation);
			});
			return true;
		}
		if (result instanceof Future<?> future && !future.isDone()) {
			call.detach(null);
			awaitEnd(future, call, observation);
			return true;
		}
		if (result instanceof Future<?> future) {
			await(future, observation);
		}
		return false;
	}

	private static void awaitEnd(Future<?> future, GatedCall call, Observation observation) {
		// A plain future tells nobody when it is done: somebody has to wait for it.
		Thread thread = new Thread(() -> {
			try {
				await(future, observation);
			}
			finally {
				end(call, observation);
			}
		}, "leader-election-gate");
		thread.setDaemon(true);
		thread.start();
	}

	private static void await(Future<?> future, Observation observation) {
		try {
			future.get();
		}
		catch (InterruptedException ex) {
			// Some futures ask for that first, even when they are done.
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | RuntimeException ex) {
			// The caller's too: it has the same future
			observation.error((ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	/** The call first: whatever observes must not keep it in flight. */
	private static void end(GatedCall call, Observation observation) {
		call.end();
		observation.stop();
	}

}
