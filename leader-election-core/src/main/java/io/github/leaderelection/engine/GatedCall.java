package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * A call that was let in because this process leads. It is in flight until it is
 * {@linkplain #close() closed}, and a graceful change of leader waits for that.
 * <p>
 * A call belongs to the thread that entered it. If its work continues elsewhere, such as
 * in a stage or a publisher, it is {@linkplain #detach detached} from that thread, and
 * any thread may close it.
 */
public final class GatedCall extends WorkScope {

	private final GatedCalls gate;

	private final boolean interruptible;

	private final long startedAt;

	/** What is called, {@code null} if not known. */
	private volatile @Nullable String what;

	private volatile boolean detached;

	/** Registers what to run if leadership is lost while the call is detached. */
	private volatile Leadership.@Nullable Registration onLoss;

	GatedCall(GatedCalls gate, boolean interruptible, long startedAt) {
		super(gate.leadership(), false);
		this.gate = gate;
		this.interruptible = interruptible;
		this.startedAt = startedAt;
	}

	/**
	 * Return the leadership under which the call runs.
	 * @return the leadership
	 */
	public Leadership leadership() {
		return this.gate.leadership();
	}

	/**
	 * Set a description of the call, for the log.
	 * @param what the method that is called, such as {@code Jobs.run}
	 */
	public void describe(String what) {
		this.what = what;
	}

	/**
	 * Let the work of the call continue outside the current thread, which is no longer
	 * interrupted for it.
	 * @param onLoss run once, on a callback thread, when leadership ends while the call
	 * is in flight, or at once if it has ended already; {@code null} for nothing
	 * @throws IllegalStateException if the current thread is not inside this call
	 */
	public void detach(@Nullable Runnable onLoss) {
		if (!isAroundCurrent()) {
			throw new IllegalStateException("The current thread is not inside this call");
		}
		if (onLoss != null) {
			this.onLoss = leadership().onLost((reason) -> onLoss.run());
		}
		this.detached = true;
		super.close();
	}

	/**
	 * End the call, and the calls inside it that the thread has left without ending them.
	 * Has no effect the second time. Unless the call is detached, has no effect in any
	 * thread other than the one that entered.
	 */
	@Override
	public void close() {
		super.close();
		if (this.detached) {
			end();
		}
	}

	@Override
	void onLeft() {
		if (!this.detached) {
			end();
		}
	}

	private void end() {
		this.gate.end(this);
		Leadership.Registration registration = this.onLoss;
		if (registration != null) {
			registration.close();
		}
	}

	/** Interrupt the thread that is in the call, if it may be interrupted. */
	void lose() {
		if (this.interruptible) {
			interrupt();
		}
	}

	/** Return whether the work was told that leadership was lost, if it was. */
	boolean wasTold(boolean lost) {
		return wasInterrupted() || (lost && this.onLoss != null);
	}

	/** Return the monotonic time at which the call began. */
	long startedAt() {
		return this.startedAt;
	}

	/** Return what is called, and for how long, such as "Jobs.run for 12 s". */
	String description(long now) {
		String described = this.what;
		return ((described != null) ? described : "a call under '%s'".formatted(leadership().election())) + " for "
				+ ReadableDuration.of(Duration.ofNanos(now - this.startedAt));
	}

}
