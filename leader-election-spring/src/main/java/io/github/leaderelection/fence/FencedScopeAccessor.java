package io.github.leaderelection.fence;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Propagates the fenced scope with Micrometer's context propagation, so that a
 * transaction that another thread begins for a fenced call is fenced, too.
 */
public final class FencedScopeAccessor implements ThreadLocalAccessor<Object> {

	@Override
	public Object key() {
		return FencedScope.class;
	}

	@Override
	public @Nullable Object getValue() {
		return FencedScope.CURRENT.get();
	}

	@Override
	public void setValue(Object scope) {
		FencedScope.CURRENT.set((FencedScope) scope);
	}

	/** Do nothing: the thread keeps its own scope, rather than write unfenced. */
	@Override
	public void setValue() {
	}

	/** Remove the scope, since there was none before. */
	@Override
	public void restore() {
		FencedScope.CURRENT.remove();
	}

}
