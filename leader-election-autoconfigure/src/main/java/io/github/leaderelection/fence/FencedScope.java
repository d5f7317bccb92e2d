package io.github.leaderelection.fence;

import java.util.LinkedHashSet;
import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * What the current thread writes in the name of: the innermost scope, and those around
 * it.
 */
final class FencedScope implements LeaderFence.Scope {

	private static final ThreadLocal<@Nullable FencedScope> CURRENT = new ThreadLocal<>();

	private final Leadership leadership;

	private final @Nullable FencedScope outer;

	private FencedScope(Leadership leadership, @Nullable FencedScope outer) {
		this.leadership = leadership;
		this.outer = outer;
	}

	static FencedScope enter(Leadership leadership) {
		FencedScope scope = new FencedScope(leadership, CURRENT.get());
		CURRENT.set(scope);
		return scope;
	}

	/** Return all leaderships of the current thread that are fenced. */
	static Set<Leadership> leaderships() {
		Set<Leadership> leaderships = new LinkedHashSet<>();
		for (FencedScope each = CURRENT.get(); each != null; each = each.outer) {
			leaderships.add(each.leadership);
		}
		return leaderships;
	}

	static @Nullable FencedScope current() {
		return CURRENT.get();
	}

	/**
	 * Let the current thread be in this scope.
	 * @param scope the scope, or {@code null} for none
	 */
	static void restore(@Nullable FencedScope scope) {
		if (scope != null) {
			CURRENT.set(scope);
		}
		else {
			CURRENT.remove();
		}
	}

	@Override
	public void close() {
		restore(this.outer);
	}

}
