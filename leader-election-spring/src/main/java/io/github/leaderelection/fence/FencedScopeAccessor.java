package io.github.leaderelection.fence;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets what is fenced travel with Micrometer's context propagation: a transaction that
 * another thread begins for a fenced call is fenced, too.
 */
public final class FencedScopeAccessor implements ThreadLocalAccessor<Object> {

	@Override
	public Object key() {
		return FencedScope.class;
	}

	@Override
	public @Nullable Object getValue() {
		return FencedScope.current();
	}

	@Override
	public void setValue(Object scope) {
		FencedScope.restore((FencedScope) scope);
	}

	/** Does nothing: that nothing was handed over is no reason to write unfenced. */
	@Override
	public void setValue() {
	}

	/** Back to what was there before. */
	@Override
	public void restore() {
		FencedScope.restore(null);
	}

}
