package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What is told of an election.
 *
 * @param election the election name
 * @param role what this instance is
 * @param leader who leads as far as this instance has seen
 * @param term the number of the term, the last one if nobody leads; 0 when none is known
 * @param electedAt when the term began, by the clock of the instance that was elected
 * @param remaining for how long the leader still leads, or counts as alive, unless it
 * sends another heartbeat
 * @param observedAgo how long ago this instance last heard of the lease or of heartbeats
 * @param lastLoss why the last term of this instance ended
 * @param callsInFlight how many gated calls of this instance are in flight
 * @param candidates who stands in the election, as of the last look
 * @param jobs its jobs whose runs are recorded, as far as this instance has them
 * @param damage what is wrong with the stored lease, so that nobody can be elected
 * @param components what is started and stopped with the leadership of this instance
 * @param paused whether the whole election is paused, so that nobody may lead
 * @param leaderlessFor for how long nobody has led, or the leader sent no heartbeat for
 * its time to live; missing while somebody leads
 * @param leaderlessBecause why, if that is known
 */
public record ElectionDescriptor(String election, Role role, @Nullable CandidateDescriptor leader, long term,
		@Nullable Instant electedAt, Duration remaining, @Nullable Duration observedAgo, @Nullable LossReason lastLoss,
		int callsInFlight, List<CandidateDescriptor> candidates, List<JobDescriptor> jobs, @Nullable String damage,
		List<ComponentStatus> components, boolean paused, @Nullable Duration leaderlessFor,
		@Nullable String leaderlessBecause) implements OperationResponseBody {

}
