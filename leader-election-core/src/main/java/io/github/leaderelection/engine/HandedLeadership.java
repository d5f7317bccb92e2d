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

	private HandedLeadership(Leadership leadership, long ticket) {
		this.leadership = leadership;
		this.ticket = ticket;
	}

	/**
	 * Return the leadership in whose name the current thread works.
	 * @return the leadership, or {@code null} if there is none
	 */
	public static @Nullable Leadership current() {
		HandedLeadership handed = HANDED.get();
		return (handed != null && handed.ticket == GatedCall.currentTicket()) ? handed.leadership
				: GatedCall.currentLeadership();
	}

	/**
	 * Hand the current thread a leadership, until it is taken back or another gated call
	 * begins or ends.
	 * @param leadership the leadership
	 */
	public static void set(Leadership leadership) {
		if (leadership == GatedCall.currentLeadership()) {
			HANDED.remove();
		}
		else {
			HANDED.set(new HandedLeadership(leadership, GatedCall.currentTicket()));
		}
	}

	/** Take back what the current thread was handed. */
	public static void clear() {
		HANDED.remove();
	}

}
