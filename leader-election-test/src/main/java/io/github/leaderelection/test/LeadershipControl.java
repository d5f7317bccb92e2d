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
 * Gives leadership to this instance and takes it away, as a test wants it. Inject it into
 * a test class that has {@link WithLeadership}, {@link WithoutLeadership} or
 * {@link AutoConfigureLeadershipControl}.
 * <p>
 * The engine, the gate and the callbacks are those of production. What is controlled is
 * what they meet: another instance, which leads each election that this one does not and
 * never lets go by itself, and a clock that stands still. So leadership changes when a
 * test says so, and at no other time.
 * <p>
 * When a method returns, {@link LeaderElection} and {@code @LeaderOnly} know of the
 * change, and calls in flight have been interrupted where they are to be. Candidates and
 * application events are told on threads of their own, as in production: await what they
 * do. A candidate that had not been told of a term before it ended never hears of it.
 * Methods may be called by any thread, also in the middle of a gated call, by one thread
 * at a time. They throw {@link UnknownElectionException} for an election in which this
 * instance does not stand, and {@link IllegalStateException} when what they wait for has
 * not come within 30 seconds.
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
	 * Let this instance lead the election, in a new term unless it leads already. Time
	 * moves on by the cooldown, for which it does not lead after having resigned. Work
	 * and callbacks of an earlier term must have ended, or be about to.
	 * @param election the election name
	 */
	public void grant(String election) {
		if (isLedOn(election)) {
			return;
		}
		// From then on the engine misses no change.
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
	 * Let another instance take the lease, which in production happens to a leader that
	 * was cut off. The term ends with {@link LossReason#TAKEN_OVER}.
	 * @param election the name of an election that this instance leads
	 */
	public void revoke(String election) {
		Leadership leadership = led(election);
		this.store.seize(election);
		awaitEnd(leadership);
	}

	/**
	 * Let the term expire, as if no heartbeat came through in time; another instance
	 * leads then. The term ends with {@link LossReason#EXPIRED}. Time moves on as in
	 * {@link #advanceTime(Duration)}; other elections go on to be led.
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

	/** Unless the term was extended by an answer that was under way. */
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
	 * flight have ended and this instance no longer leads; another one will. The term
	 * ends with {@link LossReason#RESIGNED}. Don't call it from inside a gated call of
	 * the election, for whose end it would wait.
	 * @param election the name of an election that this instance leads
	 */
	public void resign(String election) {
		Leadership leadership = led(election);
		this.engine.resign(election);
		awaitEnd(leadership);
	}

	/**
	 * Return the time on the clock of leader election: that of the first test, plus what
	 * it was moved since.
	 * @return the time
	 */
	public Instant now() {
		return Instant.ofEpochMilli(this.clock.millis());
	}

	/**
	 * Move time forward to an instant, as {@link #advanceTime(Duration)} does.
	 * @param time the instant, not before {@link #now()}
	 */
	public void advanceTimeTo(Instant time) {
		advanceTime(Duration.between(now(), time));
	}

	/**
	 * Move time forward for leader election; nothing else sees this clock. Sessions are
	 * renewed meanwhile, so that this instance goes on to lead what it leads. What has a
	 * time limit, as a drain has, comes to its end soon after.
	 * <p>
	 * Recorded jobs whose fire times have passed meanwhile are started as after a pause
	 * of the process: for the last one that was missed, unless it is longer ago than the
	 * starting deadline. They run on threads of their scheduler: await what they do. The
	 * scheduler itself goes by the clock of the system.
	 * @param time how far, not negative; fractions of milliseconds are ignored
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
	 * Never so far at once that a process that renews its sessions would count as silent.
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

	/** Take all leadership away, and give back what is wanted. */
	void reset(Map<String, Boolean> wanted) {
		revokeAll();
		wanted.forEach((election, lead) -> {
			if (this.engine.isLeader(election) != lead) {
				grant(election);
			}
		});
	}

	/** Take all leadership away, and forget what a test has paused. */
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
					"This instance does not lead election '%s', so that it has nothing to lose".formatted(election)));
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
