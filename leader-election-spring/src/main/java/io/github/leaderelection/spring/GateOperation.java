package io.github.leaderelection.spring;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

/**
 * How calls to one method are gated; resolved when the bean is created.
 *
 * @param what the method, as messages name it
 * @param election the election that must be led
 * @param interruptible whether a call is interrupted, or its subscription cancelled, when
 * leadership is lost
 * @param skippedResult what a skipped call returns, or {@code null} if calls are refused
 * with an exception
 * @param reactive knows what calls return where it is subscriptions that are gated, or
 * {@code null} if it is the calls
 * @param fence guards what calls write
 * @param recorded records the runs that a scheduler starts, {@code null} if they are not
 * recorded
 */
record GateOperation(String what, String election, boolean interruptible, @Nullable SkippedResult skippedResult,
		@Nullable ReactiveAdapter reactive, FencedCalls fence, @Nullable RecordedMethod recorded) {

}
