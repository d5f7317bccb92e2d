package io.github.leaderelection.spring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.leaderelection.engine.GatedCall;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls of one kind of bean in, or not. A call is in flight until it has returned,
 * or until the stage that it returned has completed.
 */
final class GateInterceptor implements MethodInterceptor {

	private final GateOperations operations;

	private final LeaderOnlyGate gate;

	private final GateMode mode;

	GateInterceptor(GateOperations operations, LeaderOnlyGate gate, GateMode mode) {
		this.operations = operations;
		this.gate = gate;
		this.mode = mode;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		GateOperation operation = this.operations.find(invocation.getMethod());
		if (operation == null) {
			throw new IllegalStateException("No gate for " + invocation.getMethod());
		}
		if (operation.reactive() != null && this.mode != GateMode.RUN) {
			return operation.reactive().open(invocation, operation, this::enter);
		}
		GatedCall call = enter(operation);
		if (call != null) {
			return proceed(invocation, call);
		}
		return (this.mode == GateMode.RUN) ? invocation.proceed() : operation.skip();
	}

	private @Nullable GatedCall enter(GateOperation operation) {
		return (this.mode != GateMode.SKIP) ? this.gate.enter(operation.election(), operation.interruptible()) : null;
	}

	private static @Nullable Object proceed(MethodInvocation invocation, GatedCall call) throws Throwable {
		boolean pending = false;
		try {
			Object result = invocation.proceed();
			pending = awaitEnd(result, call);
			return result;
		}
		finally {
			if (!pending) {
				call.end();
			}
		}
	}

	private static boolean awaitEnd(@Nullable Object result, GatedCall call) {
		if (result instanceof Future<?> future && future.isDone()) {
			return false;
		}
		if (result instanceof CompletionStage<?> stage) {
			call.detach(null);
			stage.whenComplete((value, failure) -> call.end());
			return true;
		}
		if (result instanceof Future<?> future) {
			call.detach(null);
			awaitEnd(future, call);
			return true;
		}
		return false;
	}

	private static void awaitEnd(Future<?> future, GatedCall call) {
		// A plain future tells nobody when it is done: somebody has to wait for it.
		Thread thread = new Thread(() -> {
			try {
				future.get();
			}
			catch (InterruptedException | ExecutionException | RuntimeException ex) {
				// The caller's: it has the same future
			}
			finally {
				call.end();
			}
		}, "leader-election-gate");
		thread.setDaemon(true);
		thread.start();
	}

}
