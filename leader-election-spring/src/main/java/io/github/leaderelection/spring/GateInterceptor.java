package io.github.leaderelection.spring;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RecordedRun;
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

	private final RunRecorder recorder;

	GateInterceptor(GateOperations operations, LeaderOnlyGate gate, GateMode mode, GateObservations observations,
			RunRecorder recorder) {
		this.operations = operations;
		this.gate = gate;
		this.mode = mode;
		this.observations = observations;
		this.recorder = recorder;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		GateOperation operation = this.operations.find(invocation.getMethod());
		if (operation == null) {
			throw new IllegalStateException("No gate for " + invocation.getMethod());
		}
		if (operation.reactive() != null && this.mode != GateMode.RUN) {
			return operation.reactive()
				.open(invocation, operation, this::enter, (refused) -> refused.refusal(this.gate), this.observations);
		}
		RecordedMethod recorded = operation.recorded();
		PlannedRun planned = (recorded != null) ? recorded.takePlanned() : null;
		GatedCall call = enter(operation);
		if (call != null) {
			return (recorded != null && planned != null) ? record(invocation, call, operation, recorded, planned)
					: proceed(invocation, call, operation, null);
		}
		return (this.mode == GateMode.RUN) ? invocation.proceed() : operation.skip(this.gate);
	}

	private @Nullable GatedCall enter(GateOperation operation) {
		if (this.mode == GateMode.SKIP) {
			return null;
		}
		GatedCall call = this.gate.enter(operation.election(), operation.interruptible());
		if (call == null && this.mode == GateMode.ENFORCED) {
			this.gate.refuse(operation.election(), operation.skippedResult() == null);
		}
		if (call != null) {
			call.describe(operation.what());
		}
		return call;
	}

	/** Have the start recorded, where a scheduler has called. */
	private @Nullable Object record(MethodInvocation invocation, GatedCall call, GateOperation operation,
			RecordedMethod recorded, PlannedRun planned) throws Throwable {
		RecordedRun run = null;
		try {
			run = this.recorder.begin(recorded.key(), planned, call.leadership());
		}
		finally {
			if (run == null) {
				call.close();
			}
		}
		if (run == null) {
			return recorded.refused();
		}
		try (WorkScope scope = enter(run, call)) {
			return proceed(invocation, call, operation, run);
		}
	}

	private static WorkScope enter(RecordedRun run, GatedCall call) {
		WorkScope scope = null;
		try {
			scope = run.enter();
			return scope;
		}
		finally {
			if (scope == null) {
				try {
					run.end(new IllegalStateException("The run could not begin"));
				}
				finally {
					call.close();
				}
			}
		}
	}

	private @Nullable Object proceed(MethodInvocation invocation, GatedCall call, GateOperation operation,
			@Nullable RecordedRun run) throws Throwable {
		Observation observation = Observation.NOOP;
		Throwable failure = null;
		boolean pending = false;
		try {
			observation = this.observations.start(call, operation);
			Object result;
			boolean mayGoOn;
			try (Observation.Scope scope = observation.openScope();
					LeaderFence.Scope fenced = operation.fence().open(call.leadership())) {
				result = invocation.proceed();
				mayGoOn = result != null && PENDING.get(result.getClass());
				if (!mayGoOn) {
					operation.fence().returned(fenced);
				}
			}
			pending = mayGoOn && awaitEnd(Objects.requireNonNull(result), call, observation, run);
			return result;
		}
		catch (Throwable ex) {
			failure = ex;
			observation.error(ex);
			throw ex;
		}
		finally {
			if (!pending) {
				try {
					end(run, failure);
				}
				finally {
					// The call first: whatever observes must not keep it in flight.
					call.close();
					observation.stop();
				}
			}
		}
	}

	/** Before the call ends: a change of leader waits for the record, too. */
	private static void end(@Nullable RecordedRun run, @Nullable Throwable failure) {
		if (run != null) {
			run.end(failure);
		}
	}

	private static boolean awaitEnd(Object result, GatedCall call, Observation observation, @Nullable RecordedRun run) {
		if (result instanceof CompletionStage<?> stage) {
			call.detach(null);
			stage.whenComplete((value, failure) -> {
				if (failure != null) {
					observation.error(failure);
				}
				end(call, observation, run, failure);
			});
			return true;
		}
		if (result instanceof Future<?> future && !future.isDone()) {
			call.detach(null);
			awaitEnd(future, call, observation, run);
			return true;
		}
		if (result instanceof Future<?> future) {
			end(run, await(future, observation));
		}
		return false;
	}

	private static void awaitEnd(Future<?> future, GatedCall call, Observation observation, @Nullable RecordedRun run) {
		// A plain future tells nobody when it is done: somebody has to wait for it.
		Thread thread = new Thread(() -> {
			Throwable failure = null;
			try {
				failure = await(future, observation);
			}
			finally {
				end(call, observation, run, failure);
			}
		}, "leader-election-gate");
		thread.setDaemon(true);
		thread.start();
	}

	private static @Nullable Throwable await(Future<?> future, Observation observation) {
		try {
			future.get();
			return null;
		}
		catch (InterruptedException ex) {
			// Some futures ask for that first, even when they are done.
			Thread.currentThread().interrupt();
			return null;
		}
		catch (ExecutionException | RuntimeException ex) {
			// The caller's too: it has the same future
			Throwable failure = (ex.getCause() != null) ? ex.getCause() : ex;
			observation.error(failure);
			return failure;
		}
	}

	private static void end(GatedCall call, Observation observation, @Nullable RecordedRun run,
			@Nullable Throwable failure) {
		try {
			end(run, failure);
		}
		finally {
			call.close();
			observation.stop();
		}
	}

}
