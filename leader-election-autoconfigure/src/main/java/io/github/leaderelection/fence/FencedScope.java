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

	/** Shared with the scopes around it. */
	private final OpenTransactions open;

	/** By any thread that the scope was handed to. */
	private volatile boolean guarded;

	private FencedScope(Leadership leadership, @Nullable FencedScope outer, OpenTransactions open) {
		this.leadership = leadership;
		this.outer = outer;
		this.open = open;
	}

	/**
	 * Return a scope that is no thread's, but a subscriber's.
	 * @param outer the scope around it
	 * @param leadership the leadership in whose name the subscriber writes
	 * @param open the transactions in progress, as {@link #open} returns them
	 * @param guarded whether its current transaction is guarded with it already
	 * @return the scope
	 */
	static FencedScope within(@Nullable FencedScope outer, Leadership leadership, OpenTransactions open,
			boolean guarded) {
		FencedScope scope = new FencedScope(leadership, outer, open);
		scope.guarded = guarded;
		return scope;
	}

	/** Return the transactions in progress within a scope and those around it. */
	static OpenTransactions open(@Nullable FencedScope scope) {
		return (scope != null) ? scope.open : new OpenTransactions();
	}

	/**
	 * Enter a scope.
	 * @param leadership the leadership in whose name the thread writes from now on
	 * @param guarded whether its current transaction is guarded with it already
	 * @return the scope
	 */
	static FencedScope enter(Leadership leadership, boolean guarded) {
		FencedScope outer = CURRENT.get();
		FencedScope scope = within(outer, leadership, open(outer), guarded);
		CURRENT.set(scope);
		return scope;
	}

	/** Return all leaderships of the current thread that are fenced. */
	static Set<Leadership> leaderships() {
		return leaderships(CURRENT.get());
	}

	/** Return all leaderships of a scope and those around it. */
	static Set<Leadership> leaderships(@Nullable FencedScope scope) {
		Set<Leadership> leaderships = new LinkedHashSet<>();
		for (FencedScope each = scope; each != null; each = each.outer) {
			leaderships.add(each.leadership);
		}
		return leaderships;
	}

	/** Note that a transaction is guarded with all leaderships of the current thread. */
	static void noteGuarded() {
		noteGuarded(CURRENT.get());
	}

	/** Note that a transaction is guarded with all leaderships of a scope. */
	static void noteGuarded(@Nullable FencedScope scope) {
		for (FencedScope each = scope; each != null; each = each.outer) {
			each.guarded = true;
		}
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
	public boolean hasGuarded() {
		return this.guarded;
	}

	@Override
	public void whenIdle(Runnable action) {
		this.open.whenNone(action);
	}

	@Override
	public void close() {
		restore(this.outer);
	}

}
