package io.github.leaderelection.spring;

import io.github.leaderelection.NotLeaderException;
import org.jspecify.annotations.Nullable;

/**
 * How calls to one method are gated; resolved when the bean is created.
 *
 * @param what the method, as messages name it
 * @param election the election that must be led
 * @param interruptible whether a call is interrupted, or its subscription cancelled, when
 * leadership is lost
 * @param skippedResult what a skipped call returns, or {@code null} if calls are refused
 * with an exception
 * @param reactive the gate for subscriptions, or {@code null} if it is the call that is
 * gated
 * @param fence guards what calls write
 * @param recorded records the runs that a scheduler starts, {@code null} if they are not
 * recorded
 */
record GateOperation(String what, String election, boolean interruptible, @Nullable SkippedResult skippedResult,
		@Nullable GateReactive reactive, FencedCalls fence, @Nullable RecordedMethod recorded) {

	/**
	 * Answer a call that was not let in.
	 * @param gate the gate that did not let it in
	 * @return the result of the call
	 * @throws NotLeaderException if such calls are refused
	 */
	@Nullable Object skip(LeaderOnlyGate gate) {
		if (this.skippedResult == null) {
			throw refusal(gate);
		}
		return this.skippedResult.get();
	}

	NotLeaderException refusal(LeaderOnlyGate gate) {
		return gate.refusal(this.election, this.what);
	}

}
