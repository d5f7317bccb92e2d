package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The leadership in whose name a thread works: that of the innermost gated call it is in,
 * or one that it was handed since, by another thread whose work it goes on with.
 */
public final class HandedLeadership {

	private static final ThreadLocal<@Nullable HandedLeadership> HANDED = new ThreadLocal<>();

	private final Leadership leadership;

	/** The call that the thread was in when it was handed the leadership. */
	private final long ticket;

	/** What it was handed before, outside of that call. */
	private final @Nullable HandedLeadership outer;

	private HandedLeadership(Leadership leadership, long ticket, @Nullable HandedLeadership outer) {
		this.leadership = leadership;
		this.ticket = ticket;
		this.outer = outer;
	}

	/**
	 * Return the leadership in whose name the current thread works.
	 * @return the leadership, or {@code null} if there is none
	 */
	public static @Nullable Leadership current() {
		HandedLeadership handed = find(GatedCall.currentTicket());
		return (handed != null) ? handed.leadership : GatedCall.currentLeadership();
	}

	/**
	 * Hand the current thread a leadership, until it is taken back or another gated call
	 * begins or ends.
	 * @param leadership the leadership
	 */
	public static void set(Leadership leadership) {
		clear();
		if (leadership != GatedCall.currentLeadership()) {
			HANDED.set(new HandedLeadership(leadership, GatedCall.currentTicket(), HANDED.get()));
		}
	}

	/**
	 * Take back what the current thread was handed in the innermost gated call it is in,
	 * or outside of any.
	 */
	public static void clear() {
		long ticket = GatedCall.currentTicket();
		HandedLeadership handed = find(ticket);
		if (handed != null && handed.outer != null) {
			HANDED.set(handed.outer);
		}
		else if (handed != null || ticket == GatedCall.REFUSED) {
			HANDED.remove();
		}
	}

	private static @Nullable HandedLeadership find(long ticket) {
		HandedLeadership handed = HANDED.get();
		while (handed != null && handed.ticket != ticket) {
			handed = handed.outer;
		}
		return handed;
	}

}
