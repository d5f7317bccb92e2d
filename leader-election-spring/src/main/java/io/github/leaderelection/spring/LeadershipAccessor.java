package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets the leadership of a gated call travel with Micrometer's context propagation: to
 * the threads of executors, and through Reactor's context, where it has the same key.
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

	/** Leaves that of the gated call that the thread is in. */
	@Override
	public void setValue() {
		WorkScope.takeBack();
	}

}
