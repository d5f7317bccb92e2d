package io.github.leaderelection.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.autoconfigure.ElectionSettingsSource;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * Grants leadership to this instance and takes it away, as a test requires. Inject it
 * into a test class that has {@link WithLeadership}, {@link WithoutLeadership} or
 * {@link AutoConfigureLeadershipControl}.
 * <p>
 * The engine, the gate and the callbacks are those of production. Only their environment
 * is controlled: another instance leads each election that this one does not lead, and
 * never gives it up by itself, and the clock stands still. So leadership changes only
 * when a test says so.
 * <p>
 * When a method returns, {@link LeaderElection} and {@code @LeaderOnly} reflect the
 * change, and calls in flight that are to be interrupted have been. Candidates are
 * called, and application events are published, on threads of their own, as in
 * production: wait for what they do. A candidate that was not called before a term ended
 * is not called for that term. Any thread may call the methods, even during a gated call,
 * but only one thread at a time. They throw {@link UnknownElectionException} for an
 * election in which this instance does not stand, and {@link IllegalStateException} if
 * what they wait for does not happen within 30 seconds.
 */
public final class LeadershipControl {

	private static final Duration CLOCK_TICK = Duration.ofMillis(1);

	private static final Duration ROUND = Duration.ofMillis(500);

	private final ElectionEngine engine;

	private final ElectionSettingsSource settings;

	private final ContestedLeaseStore store;

	private final HaltedClock clock;

	private final EndedTerms ended;

	private final Runnable lookAtJobs;

	LeadershipControl(ElectionEngine engine, ElectionSettingsSource settings, ContestedLeaseStore store,
			HaltedClock clock, EndedTerms ended, Runnable lookAtJobs) {
		this.engine = engine;
		this.settings = settings;
		this.store = store;
		this.clock = clock;
		this.ended = ended;
		this.lookAtJobs = lookAtJobs;
	}

	/**
	 * Make this instance lead the election, in a new term unless it leads already.
	 * Advances time by the cooldown, for which an instance does not lead after it has
	 * resigned. Work and callbacks of an earlier term must have ended, or be about to
	 * end.
	 * @param election the election name
	 */
	public void grant(String election) {
		if (isLedOn(election)) {
			return;
		}
		// From then on, the engine misses no change.
		require(Patience.until(() -> this.engine.status().pushed()), "Leader election has not been started");
		if (!awaitLeadership(election)) {
			this.store.seize(election);
			throw new IllegalStateException(("This instance does not become the leader of election '%s'. It does not "
					+ "stand while a gated call or callback of its last term goes on")
				.formatted(election));
		}
	}

	private boolean awaitLeadership(String election) {
		Duration cooldown = this.settings.settings(election).cooldown();
		for (Duration waited = Duration.ZERO; waited.compareTo(Patience.LIMIT) < 0; waited = waited.plus(ROUND)) {
			// More than once: a resignation may still be under way.
			advanceTime(cooldown);
			this.store.leave(election);
			if (Patience.until(() -> isLedOn(election), ROUND)) {
				this.store.taken(election);
				return true;
			}
		}
		return false;
	}

	/** Return whether this instance leads and is not about to hand over. */
	private boolean isLedOn(String election) {
		return this.engine.leadership(election).filter((leadership) -> !leadership.isEnding()).isPresent();
	}

	/**
	 * Let another instance take the lease, as happens in production to a leader that was
	 * cut off. The term ends with {@link LossReason#TAKEN_OVER}.
	 * @param election the name of an election that this instance leads
	 */
	public void revoke(String election) {
		Leadership leadership = led(election);
		this.store.seize(election);
		awaitEnd(leadership);
	}

	/**
	 * Let the term expire, as if no heartbeat had arrived in time. Another instance leads
	 * then. The term ends with {@link LossReason#EXPIRED}. Advances time as
	 * {@link #advanceTime(Duration)} does; this instance continues to lead its other
	 * elections.
	 * @param election the name of an election that this instance leads
	 */
	public void expire(String election) {
		Leadership leadership = led(election);
		this.store.cutOff(election);
		require(Patience.until(() -> {
			advanceTime(leadership.remaining().minus(CLOCK_TICK), election);
			return lapse(leadership);
		}), leadership + " does not expire");
		this.engine.wakeUp();
		awaitEnd(leadership);
	}

	/** Let the term lapse, unless an answer that was on its way has extended it. */
	private boolean lapse(Leadership leadership) {
		// The engine must not take its own lease again before the other instance does.
		synchronized (this.store) {
			if (leadership.remaining().compareTo(CLOCK_TICK) <= 0) {
				this.clock.advance(CLOCK_TICK);
			}
			boolean lapsed = !leadership.isHeld();
			if (lapsed) {
				this.store.seize(leadership.election());
			}
			return lapsed;
		}
	}

	/**
	 * Resign, as {@link LeaderElection#resign(String)} does, and wait until calls in
	 * flight have ended and this instance no longer leads. Another instance leads then.
	 * The term ends with {@link LossReason#RESIGNED}. Don't call this within a gated call
	 * of the election: it would wait for that call to end.
	 * @param election the name of an election that this instance leads
	 */
	public void resign(String election) {
		Leadership leadership = led(election);
		this.engine.resign(election);
		awaitEnd(leadership);
	}

	/**
	 * Return the time of leader election: the time at which the application context was
	 * created, plus all advances since.
	 * @return the time
	 */
	public Instant now() {
		return Instant.ofEpochMilli(this.clock.millis());
	}

	/**
	 * Advance time to an instant, as {@link #advanceTime(Duration)} does.
	 * @param time the instant, not before {@link #now()}
	 */
	public void advanceTimeTo(Instant time) {
		advanceTime(Duration.between(now(), time));
	}

	/**
	 * Advance the clock of leader election, which nothing else uses. Sessions are renewed
	 * meanwhile, so this instance continues to lead its elections. Whatever has a time
	 * limit, such as a drain, ends soon after the limit has passed.
	 * <p>
	 * Recorded jobs whose fire times have passed are caught up as after a pause of the
	 * process: a run is started for the last fire time that was missed, unless that is
	 * longer ago than the starting deadline. Runs are on threads of the job's scheduler:
	 * wait for what they do. The scheduler itself uses the system clock.
	 * @param time how far to advance, not negative; fractions of milliseconds are ignored
	 */
	public void advanceTime(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException(
					"Time can't go back, not even by " + ReadableDuration.exact(time.negated()));
		}
		advanceTime(time, null);
		this.lookAtJobs.run();
	}

	/**
	 * Advance in steps too short for a process that renews its sessions to seem silent.
	 */
	private void advanceTime(Duration time, @Nullable String exempt) {
		Duration left = time;
		while (left.compareTo(Duration.ZERO) > 0) {
			Duration step = left;
			for (Leadership leadership : vouchedFor(exempt)) {
				Duration bearable = leadership.remaining().minus(CLOCK_TICK);
				step = (bearable.compareTo(step) < 0) ? bearable : step;
			}
			this.clock.advance(step);
			this.engine.wakeUp();
			left = left.minus(step);
			require(Patience.until(() -> vouchedFor(exempt).stream()
				.allMatch((leadership) -> leadership.remaining().compareTo(CLOCK_TICK) > 0)),
					"No heartbeat was acknowledged");
		}
	}

	private List<Leadership> vouchedFor(@Nullable String exempt) {
		List<Leadership> vouchedFor = new ArrayList<>();
		for (String election : this.engine.elections()) {
			if (!election.equals(exempt)) {
				this.engine.leadership(election).ifPresent(vouchedFor::add);
			}
		}
		return vouchedFor;
	}

	/** Take all leadership away, and grant what is wanted. */
	void reset(Map<String, Boolean> wanted) {
		revokeAll();
		wanted.forEach((election, lead) -> {
			if (this.engine.isLeader(election) != lead) {
				grant(election);
			}
		});
	}

	/** Take all leadership away, and undo all pauses. */
	void revokeAll() {
		for (String election : this.engine.elections()) {
			Optional<Leadership> leadership = this.engine.leadership(election);
			this.store.seize(election);
			leadership.ifPresent(this::awaitEnd);
			this.engine.resume(election);
			this.engine.resumeElection(election);
		}
	}

	private Leadership led(String election) {
		return this.engine.leadership(election)
			.orElseThrow(() -> new IllegalStateException(
					"This instance does not lead election '%s', so it has no leadership to lose".formatted(election)));
	}

	private void awaitEnd(Leadership leadership) {
		require(Patience.until(() -> this.ended.contains(leadership)), leadership + " does not end");
	}

	private static void require(boolean fulfilled, String problem) {
		if (!fulfilled) {
			throw new IllegalStateException(
					problem + ", though it had %s".formatted(ReadableDuration.exact(Patience.LIMIT)));
		}
	}

}
