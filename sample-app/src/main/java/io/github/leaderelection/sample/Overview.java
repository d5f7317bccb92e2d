package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.job.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * The content of the page.
 *
 * @param instance the candidate id of the instance that serves it
 * @param now the time on that instance
 * @param mongo the state of MongoDB as that instance sees it
 * @param elections the elections as that instance sees them, by name
 * @param price the last price from the market feed, {@code null} on instances without a
 * connection
 * @param history the records of all instances, {@code null} if they have not been read
 */
record Overview(String instance, Instant now, Mongo mongo, List<Election> elections, @Nullable Integer price,
		@Nullable History history) {

	/**
	 * The state of MongoDB as an instance sees it.
	 *
	 * @param silentMillis for how long it has not answered, {@code null} while it does
	 * @param reason why it does not answer, {@code null} while it does
	 * @param pushed whether changes of leases are pushed; otherwise they are polled
	 * @param notPushedBecause why they are not pushed, {@code null} if they are or the
	 * reason is not known yet
	 */
	record Mongo(@Nullable Long silentMillis, @Nullable String reason, boolean pushed,
			@Nullable String notPushedBecause) {

		static Mongo of(EngineStatus status) {
			StoreOutage outage = status.outage();
			return new Mongo((outage != null) ? outage.duration().toMillis() : null,
					(outage != null) ? outage.reason() : null, status.pushed(), status.notPushedBecause());
		}

	}

	/**
	 * One election.
	 *
	 * @param name the election name
	 * @param leader the candidate id of the leader, {@code null} if none is known
	 * @param term the term, 0 if it is not known
	 * @param remainingMillis for how long the leader counts as alive without another
	 * heartbeat
	 * @param ttlMillis for how long the leader counts as alive after a heartbeat
	 * @param leadsHere whether this instance leads
	 * @param role the role of this instance
	 * @param paused whether the whole election is paused, so that nobody may lead
	 * @param callsInFlight the number of gated calls of this instance in flight
	 * @param job its job whose runs are recorded, {@code null} if it has none
	 */
	record Election(String name, @Nullable String leader, long term, long remainingMillis, long ttlMillis,
			boolean leadsHere, Role role, boolean paused, int callsInFlight, @Nullable Job job) {

		static Election of(ElectionStatus status, boolean leadsHere, @Nullable Job job) {
			return new Election(status.election(), status.leader(), status.term(), status.remaining().toMillis(),
					status.ttl().toMillis(), leadsHere, status.role(), status.suspended(), status.callsInFlight(), job);
		}

	}

	/**
	 * One job, as that instance sees it.
	 *
	 * @param name the name of the job
	 * @param running whether it runs on that instance
	 * @param cause why its last run was started, {@code null} if there was none
	 * @param outcome the outcome of that run, {@code null} if there was none
	 */
	record Job(String name, boolean running, @Nullable Cause cause, @Nullable Outcome outcome) {

		static Job of(JobStatus status) {
			JobRun last = (status.record() != null) ? status.record().last() : null;
			return new Job(status.job().key().job(), status.running(), (last != null) ? last.cause() : null,
					(last != null) ? last.outcome() : null);
		}

	}

}
