package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.CandidateRecord;
import org.jspecify.annotations.Nullable;

/**
 * The status of an engine, as seen from inside this process.
 *
 * @param outage the present outage of the store, {@code null} while it answers
 * @param pushed whether changes of leases are pushed; otherwise they are polled for
 * @param notPushedBecause why changes are not pushed, {@code null} if they are or nothing
 * is known yet; contains no credentials
 * @param elections the elections that this process takes part in, by name
 * @param candidates the processes that have announced themselves, except those whose
 * session has been silent for its time to live; may lack processes that came in the last
 * seconds, and is empty before the first read
 * @param damaged sessions and candidates that were left out of the last read because they
 * can't be understood: where each is and what is wrong with it, fit for one line
 */
public record EngineStatus(@Nullable StoreOutage outage, boolean pushed, @Nullable String notPushedBecause,
		List<ElectionStatus> elections, List<CandidateRecord> candidates, List<String> damaged) {

	public EngineStatus {
		elections = List.copyOf(elections);
		candidates = List.copyOf(candidates);
		damaged = List.copyOf(damaged);
	}

	/**
	 * Return how changes reach this process, for people to read.
	 * @return a phrase; contains no credentials
	 */
	public String delivery() {
		if (this.pushed) {
			return "changes are pushed";
		}
		return "changes are polled" + ((this.notPushedBecause != null) ? " (%s)".formatted(this.notPushedBecause) : "");
	}

	/** The role of a process in an election. */
	public enum Role {

		/** Leads. */
		LEADER,

		/** Starts no new work, and releases the lease when work in flight has ended. */
		HANDING_OVER,

		/**
		 * Has lost its term, and does not stand until its work and callbacks have ended.
		 */
		LOST,

		/** Is ready to lead when nobody else does. */
		FOLLOWER,

		/** Is paused, or the whole election is. */
		PAUSED

	}

	/**
	 * An outage of the store.
	 *
	 * @param duration how long it has lasted
	 * @param reason its latest failure; contains no credentials
	 */
	public record StoreOutage(Duration duration, String reason) {

	}

	/**
	 * The status of this process in one election.
	 *
	 * @param election the election name
	 * @param leader the id of the candidate that leads as far as this process has seen,
	 * {@code null} if none is known
	 * @param role the role of this process
	 * @param term the number of the term, the last one if nobody leads; 0 when none is
	 * known
	 * @param electedAt when the term began, by the clock of the process that was elected;
	 * {@code null} if not known
	 * @param remaining for how long the leader still leads, or counts as alive, if it
	 * does not renew its session again, as far as this process has seen; zero when nobody
	 * holds the lease
	 * @param observed how long ago this process last heard of the lease, or of the
	 * sessions of others, {@code null} if it never has
	 * @param callsInFlight how many gated calls of this process are in flight
	 * @param lastLoss why the last term of this process ended, {@code null} if none has
	 * @param ttl the time to live that is configured in this process
	 * @param ignoresInterrupt whether a candidate of this process was interrupted at
	 * least a safety margin ago and has not returned from {@code onElected} yet; until it
	 * does, this process does not stand
	 * @param lingering how long ago a term of this process was lost whose work or
	 * callbacks have not ended yet, zero if there is none; until they have, this process
	 * does not stand
	 * @param sinceRenewal how long ago this process sent the last of its renewals that
	 * was acknowledged, {@code null} while it does not lead
	 * @param leaderless for how long nobody has led as far as this process has seen, or
	 * for how long the session of the leader has been silent beyond its time to live;
	 * zero while somebody leads
	 * @param overdue whether a renewal that the present term needs should have been
	 * acknowledged by now and was not, or a term has expired and the lease was not seen
	 * since
	 * @param damage what is wrong with the stored lease, so that nobody can be elected;
	 * {@code null} if nothing is, as far as this process has seen
	 * @param unobserved for how long this process has not seen the lease although it
	 * should have, zero while all is well, and while paused
	 * @param components the components that start and stop with the leadership of this
	 * process
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
	 * The status of a component that starts and stops with the leadership of this
	 * process.
	 *
	 * @param name its name
	 * @param state the state of the component
	 * @param failures how many times in a row it could not be started or stopped
	 * @param lastFailure why it last could not be started or stopped, fit for one line;
	 * {@code null} if it has not failed since it last worked
	 */
	public record ComponentStatus(String name, State state, int failures, @Nullable String lastFailure) {

		/** The state of a component. */
		public enum State {

			/** Does not run. */
			STOPPED,

			/** Is being started. */
			STARTING,

			/** Runs. */
			RUNNING,

			/** Is being stopped. */
			STOPPING,

			/** Could not be started or stopped; is retried as long as that is wanted. */
			FAILED

		}

	}

}
