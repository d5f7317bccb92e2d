package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.CandidateRecord;
import org.jspecify.annotations.Nullable;

/**
 * How an engine fares, as seen from inside this process.
 *
 * @param outage the present outage of the store, {@code null} while it answers
 * @param pushed whether changes of leases are pushed; otherwise they are polled for
 * @param notPushedBecause why changes are not pushed, {@code null} if they are or nothing
 * is known yet; contains no credentials
 * @param elections the elections that this process takes part in, by name
 * @param candidates the processes that have made themselves known, those that came in the
 * last seconds excepted, without those whose session has been silent for its time to
 * live; empty before the first look
 * @param damaged what was left out of the sessions and candidates that were read last,
 * because it can't be understood: where it is and what is wrong with it, fit for one line
 * each
 */
public record EngineStatus(@Nullable StoreOutage outage, boolean pushed, @Nullable String notPushedBecause,
		List<ElectionStatus> elections, List<CandidateRecord> candidates, List<String> damaged) {

	public EngineStatus {
		elections = List.copyOf(elections);
		candidates = List.copyOf(candidates);
		damaged = List.copyOf(damaged);
	}

	/**
	 * Tell people how changes come here.
	 * @return a phrase; contains no credentials
	 */
	public String delivery() {
		if (this.pushed) {
			return "changes are pushed";
		}
		return "changes are polled for"
				+ ((this.notPushedBecause != null) ? " (%s)".formatted(this.notPushedBecause) : "");
	}

	/** What a process is in an election. */
	public enum Role {

		/** Leads. */
		LEADER,

		/** Leads no new work, and gives the lease back when that in flight has ended. */
		HANDING_OVER,

		/**
		 * Has lost its term, and does not stand until work and callbacks of it have
		 * ended.
		 */
		LOST,

		/** Is ready to lead when nobody else does. */
		FOLLOWER,

		/** Stands aside until resumed. */
		PAUSED

	}

	/**
	 * An outage of the store.
	 *
	 * @param duration how long it has lasted
	 * @param reason what its latest failure was; contains no credentials
	 */
	public record StoreOutage(Duration duration, String reason) {

	}

	/**
	 * How this process fares in one election.
	 *
	 * @param election the election name
	 * @param leader the id of the candidate that leads as far as this process has seen,
	 * {@code null} if none is known
	 * @param role what this process is
	 * @param term the number of the term, the last one if nobody leads; 0 when none is
	 * known
	 * @param electedAt when the term began, by the clock of the process that was elected;
	 * {@code null} if not known
	 * @param remaining for how long the leader still leads, or counts as alive, unless it
	 * renews its session again, at least as far as this process has seen; zero when
	 * nobody holds the lease
	 * @param observed how long ago this process last heard of the lease, or of the
	 * sessions of others, {@code null} if it never has
	 * @param callsInFlight how many gated calls of this process are in flight
	 * @param lastLoss why the last term of this process ended, {@code null} if none has
	 * @param ttl the time to live that this process asks for
	 * @param ignoresInterrupt whether a candidate of this process has not returned from
	 * {@code onElected} although it was interrupted a safety margin ago; until it does,
	 * this process does not stand
	 * @param lingering how long ago a term of this process was lost whose work or
	 * callbacks have not ended yet, zero if there is none; until they have, this process
	 * does not stand
	 * @param sinceRenewal how long ago this process sent the last of its renewals that
	 * was acknowledged, {@code null} while it does not lead
	 * @param leaderless for how long nobody has led as far as this process has seen, or
	 * who did has not renewed its session for its time to live; zero while somebody leads
	 * @param overdue whether a renewal that this term needs should have been acknowledged
	 * by now and was not, or a term has ended for this reason and the lease was not seen
	 * since
	 * @param damage what is wrong with the stored lease, so that nobody can be elected;
	 * {@code null} if nothing is, as far as this process has seen
	 * @param unobserved for how long this process has not seen the lease although it
	 * should have, zero while all is well, and while paused
	 * @param components what is started and stopped with the leadership of this process
	 * @param suspended whether the whole election is paused, so that nobody may lead
	 */
	public record ElectionStatus(String election, @Nullable String leader, Role role, long term,
			@Nullable Instant electedAt, Duration remaining, @Nullable Duration observed, int callsInFlight,
			@Nullable LossReason lastLoss, Duration ttl, boolean ignoresInterrupt, Duration lingering,
			@Nullable Duration sinceRenewal, Duration leaderless, boolean overdue, @Nullable String damage,
			Duration unobserved, List<ComponentStatus> components, boolean suspended) {

		public ElectionStatus {
			components = List.copyOf(components);
		}

	}

	/**
	 * How something fares that is started and stopped with the leadership of this
	 * process.
	 *
	 * @param name its name
	 * @param state what has become of it
	 * @param failures how many times in a row it could not be started or stopped
	 * @param lastFailure why it could not be started or stopped, fit for one line; of the
	 * last failure, {@code null} if there was none since it worked
	 */
	public record ComponentStatus(String name, State state, int failures, @Nullable String lastFailure) {

		/** What has become of a component. */
		public enum State {

			/** Does not run. */
			STOPPED,

			/** Is being started. */
			STARTING,

			/** Runs. */
			RUNNING,

			/** Is being stopped. */
			STOPPING,

			/** Could not be started or stopped; is tried again while that is wanted. */
			FAILED

		}

	}

}
