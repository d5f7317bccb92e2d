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
 * Description of an election.
 *
 * @param election the election name
 * @param role the role of this instance
 * @param leader the leader, as far as this instance has seen
 * @param term the number of the term, or of the last one if nobody leads; 0 if none is
 * known
 * @param electedAt when the term began, by the clock of the instance that was elected
 * @param remaining how long the leader still leads, or counts as alive, unless it sends
 * another heartbeat
 * @param observedAgo how long ago this instance last heard of the lease or of heartbeats
 * @param lastLoss why the last term of this instance ended
 * @param callsInFlight how many gated calls of this instance are in flight
 * @param candidates the candidates of the election, as last read
 * @param jobs the recorded jobs of the election, as far as this instance has them
 * @param damage what is wrong with the stored lease; while it is damaged, nobody can be
 * elected
 * @param components the components that are started and stopped with the leadership of
 * this instance
 * @param paused whether the election is paused for all instances, so that nobody may lead
 * @param leaderlessFor how long nobody has led, or the leader has sent no heartbeat for
 * its time to live; missing while someone leads
 * @param leaderlessBecause why nobody leads, if that is known
 */
public record ElectionDescriptor(String election, Role role, @Nullable CandidateDescriptor leader, long term,
		@Nullable Instant electedAt, Duration remaining, @Nullable Duration observedAgo, @Nullable LossReason lastLoss,
		int callsInFlight, List<CandidateDescriptor> candidates, List<JobDescriptor> jobs, @Nullable String damage,
		List<ComponentStatus> components, boolean paused, @Nullable Duration leaderlessFor,
		@Nullable String leaderlessBecause) implements OperationResponseBody {

}
