package io.github.leaderelection.fence;

import java.util.LinkedHashSet;
import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The scope in which the current thread writes in the name of a leadership, with the
 * scopes around it.
 */
final class FencedScope implements LeaderFence.Scope {

	static final ThreadLocal<@Nullable FencedScope> CURRENT = new ThreadLocal<>();

	private final Leadership leadership;

	private final @Nullable FencedScope outer;

	/** Written by any thread to which the scope was handed. */
	private volatile boolean guarded;

	private FencedScope(Leadership leadership, @Nullable FencedScope outer, boolean guarded) {
		this.leadership = leadership;
		this.outer = outer;
		this.guarded = guarded;
	}

	/**
	 * Enter a scope.
	 * @param leadership the leadership in whose name the thread writes from now on
	 * @param guarded whether the thread's current transaction is already guarded with it
	 * @return the scope
	 */
	static FencedScope enter(Leadership leadership, boolean guarded) {
		FencedScope scope = new FencedScope(leadership, CURRENT.get(), guarded);
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

	/** Note that a transaction is guarded with all leaderships of the current thread. */
	static void noteGuarded() {
		for (FencedScope each = CURRENT.get(); each != null; each = each.outer) {
			each.guarded = true;
		}
	}

	@Override
	public boolean hasGuarded() {
		return this.guarded;
	}

	@Override
	public void close() {
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

}
