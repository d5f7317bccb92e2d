package io.github.leaderelection.spring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.github.leaderelection.engine.DetachedCall;
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

	/**
	 * Whether work may go on when an object of the class was returned. Looked up, since
	 * it is slow to ask an object for an interface that it does not have.
	 */
	private static final ClassValue<Boolean> PENDING = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type);
		}

	};

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
		long ticket = enter(operation);
		if (ticket != GatedCall.REFUSED) {
			return proceed(invocation, ticket, this.observations.start(ticket, operation));
		}
		return (this.mode == GateMode.RUN) ? invocation.proceed() : operation.skip();
	}

	private long enter(GateOperation operation) {
		if (this.mode == GateMode.SKIP) {
			return GatedCall.REFUSED;
		}
		long ticket = this.gate.enter(operation.election(), operation.interruptible());
		if (ticket == GatedCall.REFUSED && this.mode == GateMode.ENFORCED) {
			this.gate.refuse(operation.election(), operation.skippedResult() == null);
		}
		return ticket;
	}

	private static @Nullable Object proceed(MethodInvocation invocation, long ticket, Observation observation)
			throws Throwable {
		boolean pending = false;
		try {
			Object result;
			try (Observation.Scope scope = observation.openScope()) {
				result = invocation.proceed();
			}
			pending = result != null && PENDING.get(result.getClass()) && awaitEnd(result, ticket, observation);
			return result;
		}
		catch (Throwable ex) {
			observation.error(ex);
			throw ex;
		}
		finally {
			if (!pending) {
				// The call first: whatever observes must not keep it in flight.
				GatedCall.end(ticket);
				observation.stop();
			}
		}
	}

	private static boolean awaitEnd(Object result, long ticket, Observation observation) {
		if (result instanceof CompletionStage<?> stage) {
			detach(ticket, (call) -> stage.whenComplete((value, failure) -> {
				if (failure != null) {
					observation.error(failure);
				}
				end(call, observation);
			}));
			return true;
		}
		if (result instanceof Future<?> future && !future.isDone()) {
			detach(ticket, (call) -> awaitEnd(future, call, observation));
			return true;
		}
		if (result instanceof Future<?> future) {
			await(future, observation);
		}
		return false;
	}

	private static void detach(long ticket, Consumer<DetachedCall> awaitEnd) {
		DetachedCall call = GatedCall.detach(ticket, null);
		try {
			awaitEnd.accept(call);
		}
		catch (Throwable ex) {
			// Nobody else will.
			call.end();
			throw ex;
		}
	}

	private static void awaitEnd(Future<?> future, DetachedCall call, Observation observation) {
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

	private static void end(DetachedCall call, Observation observation) {
		call.end();
		observation.stop();
	}

}
