package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the leadership of a gated call with Micrometer's context propagation: to the
 * threads of executors, and through the Reactor context, where it has the same key.
 */
public final class LeadershipAccessor implements ThreadLocalAccessor<Leadership> {

	@Override
	public Object key() {
		return Leadership.class;
	}

	@Override
	public @Nullable Leadership getValue() {
		return WorkScope.find(Leadership.class);
	}

	@Override
	public void setValue(Leadership leadership) {
		WorkScope.hand(leadership);
	}

	/** Keep the leadership of the gated call that the thread is in, if any. */
	@Override
	public void setValue() {
		WorkScope.takeBack();
	}

}
