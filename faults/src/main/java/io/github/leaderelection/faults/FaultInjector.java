package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import io.github.leaderelection.faults.FaultKind.Side;
import io.github.leaderelection.faults.Network.Cut;
import io.github.leaderelection.faults.Network.Loss;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.SupervisedProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.Assert;

/**
 * Makes things go wrong, and right again.
 */
final class FaultInjector {

	private static final Logger logger = LoggerFactory.getLogger(FaultInjector.class);

	private final Cluster cluster;

	private final FaultSchedule schedule;

	private final Path directory;

	FaultInjector(Cluster cluster, FaultSchedule schedule, Path directory) {
		this.cluster = cluster;
		this.schedule = schedule;
		this.directory = directory;
	}

	/**
	 * Choose whom a fault shall hit.
	 */
	Target target(FaultKind kind) {
		if (kind.side() == Side.MONGODB) {
			return new Target(null, "-", switch (kind) {
				case ALL_KILLED, ALL_PAUSED, DISKS_SLOW, NETWORK_SLOW -> null;
				case PRIMARY_CLOCK_AHEAD, PRIMARY_CLOCK_BEHIND -> this.cluster.clockedServer();
				default -> this.cluster.mongo().primary();
			});
		}
		String election = this.schedule.choose(Cluster.ELECTIONS);
		Optional<CandidateProcess> leader = this.cluster.leader(election);
		if (kind.hitsLeader()) {
			return new Target(leader.orElseGet(() -> this.schedule.choose(this.cluster.candidates())), election, null);
		}
		if (kind == FaultKind.CANDIDATE_CLOCK_AHEAD || kind == FaultKind.CANDIDATE_CLOCK_BEHIND) {
			List<CandidateProcess> clocked = this.cluster.clockedCandidates();
			return new Target(leader.filter(clocked::contains).orElseGet(() -> this.schedule.choose(clocked)), election,
					null);
		}
		return new Target(this.schedule.choose(this.cluster.followers()), election, null);
	}

	/**
	 * Let a fault begin.
	 * @return what ends it, and waits until that is done
	 */
	Runnable inject(FaultKind kind, Target target) {
		return (kind.side() == Side.CANDIDATES) ? hit(kind, target.candidate(), target.election())
				: hit(kind, target.server());
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
			default -> throw new IllegalArgumentException(kind.name());
		}
	}

	private Runnable hit(FaultKind kind, MongoNode server) {
		switch (kind) {
			case PRIMARY_KILLED -> {
				server.kill();
				return this::awaitServers;
			}
			case PRIMARY_PAUSED -> {
				server.pause();
				return () -> {
					server.resume();
					awaitServers();
				};
			}
			case PRIMARY_STEPS_DOWN -> {
				this.cluster.mongo().stepDown();
				return this::awaitServers;
			}
			case PRIMARY_ISOLATED, PRIMARY_ISOLATED_BY_RESETS, PRIMARY_CUT_OFF_FROM_PEERS, PRIMARY_RESET_FROM_PEERS -> {
				return afterMending(cut(kind, server));
			}
			case PRIMARY_CLOCK_AHEAD, PRIMARY_CLOCK_BEHIND -> {
				return failOverTo(server, (kind == FaultKind.PRIMARY_CLOCK_AHEAD) ? "+1h" : "-1h");
			}
			case DISKS_SLOW -> {
				List<SupervisedProcess> tracers = this.cluster.mongo().nodes().stream().map(this::slowDisk).toList();
				return () -> {
					boolean slow = tracers.stream().allMatch(SupervisedProcess::isAlive);
					tracers.forEach(SupervisedProcess::kill);
					Assert.state(slow, "The disks were not slow");
					awaitServers();
				};
			}
			case ALL_PAUSED -> {
				this.cluster.mongo().nodes().forEach(MongoNode::pause);
				return () -> {
					this.cluster.mongo().nodes().forEach(MongoNode::resume);
					awaitServers();
				};
			}
			case ALL_KILLED -> {
				this.cluster.mongo().kill();
				return this::awaitServers;
			}
			case NETWORK_SLOW -> {
				return afterMending(this.cluster.network().slowDown());
			}
			default -> throw new IllegalArgumentException(kind.name());
		}
	}

	private Cut cut(FaultKind kind, MongoNode server) {
		int group = this.cluster.group(server);
		List<Integer> peers = this.cluster.mongo()
			.nodes()
			.stream()
			.filter((node) -> node != server)
			.map(this.cluster::group)
			.toList();
		Network network = this.cluster.network();
		return switch (kind) {
			case PRIMARY_ISOLATED -> network.isolate(group, server.port(), Loss.DROPPED);
			case PRIMARY_ISOLATED_BY_RESETS -> network.isolate(group, server.port(), Loss.RESET);
			case PRIMARY_CUT_OFF_FROM_PEERS -> network.separate(group, server.port(), peers, Loss.DROPPED);
			default -> network.separate(group, server.port(), peers, Loss.RESET);
		};
	}

	private Runnable failOverTo(MongoNode server, String shift) {
		MongoReplicaSet mongo = this.cluster.mongo();
		WallClock clock = this.cluster.serverClock();
		if (mongo.primary() == server) {
			mongo.stepUp(mongo.nodes().get(0));
		}
		clock.set(shift);
		try {
			mongo.stepUp(server);
		}
		catch (IllegalStateException ex) {
			clock.set("+0");
			throw ex;
		}
		return () -> {
			clock.set("+0");
			awaitServers();
			if (!this.cluster.takesWrites()) {
				// Some of its waits last until the time comes that they were to end at.
				logger.warn("{} has not recovered from its clock being set back, and is restarted", server);
				server.kill();
				awaitServers();
			}
		};
	}

	/**
	 * Lets each sync of the server take 300 ms longer.
	 */
	private SupervisedProcess slowDisk(MongoNode server) {
		return SupervisedProcess.start(
				List.of("strace", "-f", "-qq", "-o", "/dev/null", "-p", Long.toString(server.pid()), "-e",
						"trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_enter=300000"),
				this.directory.resolve("strace.log"));
	}

	private Runnable afterMending(Cut cut) {
		return () -> {
			cut.mend();
			awaitServers();
		};
	}

	/** Start those that are down, and wait until there is a primary. */
	private void awaitServers() {
		try {
			this.cluster.mongo().start();
		}
		catch (IllegalStateException ex) {
			logger.warn("MongoDB does not recover: start it anew", ex);
			this.cluster.mongo().kill();
			this.cluster.mongo().start();
		}
	}

	/**
	 * Whom a fault hits.
	 *
	 * @param candidate the candidate, if it is one
	 * @param election which election it leads, if it does
	 * @param server the server, if it is one
	 */
	record Target(CandidateProcess candidate, String election, MongoNode server) {

		@Override
		public String toString() {
			Object hit = (this.candidate != null) ? this.candidate : this.server;
			return (hit != null) ? hit.toString() : "all";
		}

	}

}
