package io.github.leaderelection.faults;

import java.util.List;
import java.util.Optional;

import io.github.leaderelection.faults.FaultKind.Side;
import io.github.leaderelection.faults.Network.Loss;

/**
 * Injects faults and heals them.
 */
final class FaultInjector {

	private final Cluster cluster;

	private final FaultSchedule schedule;

	FaultInjector(Cluster cluster, FaultSchedule schedule) {
		this.cluster = cluster;
		this.schedule = schedule;
	}

	/**
	 * Begin a fault.
	 */
	Injection inject(FaultKind kind) {
		if (kind.side() == Side.SERVERS) {
			return this.cluster.servers().inject(kind);
		}
		String election = this.schedule.choose(Cluster.ELECTIONS);
		CandidateProcess candidate = target(kind, this.cluster.leader(election));
		return new Injection(candidate.toString(), (kind == FaultKind.LEADER_RESIGNS) ? election : FaultRecord.ALL,
				hit(kind, candidate, election));
	}

	/** Choose the candidate that a fault hits. */
	private CandidateProcess target(FaultKind kind, Optional<CandidateProcess> leader) {
		if (kind.hitsLeader()) {
			return leader.orElseGet(() -> this.schedule.choose(this.cluster.candidates()));
		}
		if (kind == FaultKind.CANDIDATE_CLOCK_AHEAD || kind == FaultKind.CANDIDATE_CLOCK_BEHIND) {
			List<CandidateProcess> clocked = this.cluster.clockedCandidates();
			return leader.filter(clocked::contains).orElseGet(() -> this.schedule.choose(clocked));
		}
		return this.schedule.choose(this.cluster.followers());
	}

	private Runnable hit(FaultKind kind, CandidateProcess candidate, String election) {
		Network network = this.cluster.network();
		int group = candidate.group();
		switch (kind) {
			case LEADER_KILLED, FOLLOWER_KILLED -> {
				candidate.kill();
				return candidate::restart;
			}
			case LEADER_PAUSED, FOLLOWER_PAUSED -> {
				candidate.pause();
				return candidate::resume;
			}
			case LEADER_TERMINATED -> {
				candidate.terminate();
				return () -> {
					candidate.awaitEnd();
					candidate.restart();
				};
			}
			case LEADER_RESIGNS -> {
				candidate.resign(election);
				return () -> {
				};
			}
			case LEADER_CUT_OFF, FOLLOWER_CUT_OFF -> {
				return network.cutOff(group, Loss.DROPPED)::mend;
			}
			case LEADER_RESET -> {
				return network.cutOff(group, Loss.RESET)::mend;
			}
			case LEADER_REQUESTS_LOST -> {
				return network.loseRequests(group)::mend;
			}
			case LEADER_REPLIES_LOST -> {
				return network.loseReplies(group)::mend;
			}
			case LEADER_LINK_LOSSY -> {
				return network.loseSome(group)::mend;
			}
			case CANDIDATE_CLOCK_AHEAD, CANDIDATE_CLOCK_BEHIND -> {
				WallClock clock = this.cluster.clockOf(candidate);
				clock.set((kind == FaultKind.CANDIDATE_CLOCK_AHEAD) ? "+1h" : "-1h");
				return () -> clock.set("+0");
			}
			case LEADER_DISCONNECTED -> {
				this.cluster.servers().disconnect(candidate);
				return () -> {
				};
			}
			case LEADER_POOL_EXHAUSTED -> {
				candidate.exhaustPool();
				return candidate::releasePool;
			}
			default -> throw new IllegalArgumentException(kind.name());
		}
	}

}
