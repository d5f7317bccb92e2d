package io.github.leaderelection.actuate;

import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@link Endpoint} that shows who leads. With unrestricted access, operators can also use
 * it to resign, transfer leadership, pause, resume, and trigger a job. Reads local state
 * only and never waits for the store, except to ask another leader to hand over, and to
 * pause or resume an election for all instances. Requested operations proceed in the
 * background.
 */
@Endpoint(id = "leaderelection", defaultAccess = Access.READ_ONLY)
public class LeaderElectionEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElectionEndpoint.class);

	private static final EngineStatus NOTHING = new EngineStatus(null, false, null, List.of(), List.of(), List.of());

	private final LeaderElection elections;

	private final @Nullable ElectionEngine engine;

	private final Supplier<? extends @Nullable RecordedJobs> jobs;

	private final ElectionDescriber describer;

	/**
	 * Create an endpoint.
	 * @param elections the elections to show and control
	 * @param engine the engine that reports their status, {@code null} if a test has
	 * replaced it with a mock
	 * @param jobs supplies the recorded jobs, or {@code null} if there are none
	 * @param sanitizingFunctions decide what is shown of candidates
	 */
	public LeaderElectionEndpoint(LeaderElection elections, @Nullable ElectionEngine engine,
			Supplier<? extends @Nullable RecordedJobs> jobs, Iterable<SanitizingFunction> sanitizingFunctions) {
		this.elections = elections;
		this.engine = engine;
		this.jobs = jobs;
		this.describer = new ElectionDescriber(new Sanitizer(sanitizingFunctions));
	}

	/**
	 * Describe all elections of this instance.
	 * @return the elections
	 */
	@ReadOperation
	public ElectionsDescriptor elections() {
		return this.describer.describe(String.valueOf(this.elections.candidateId()), status(), jobs());
	}

	/**
	 * Describe one election.
	 * @param election the election name
	 * @return the election
	 */
	@ReadOperation
	public ElectionDescriptor election(@Selector String election) {
		EngineStatus now = status();
		return this.describer.describe(find(election, now), now, jobs());
	}

	/**
	 * Control this instance, ask the leader to hand over, or pause or resume an election
	 * for all instances.
	 * @param election the election name
	 * @param action one of {@code resign}, {@code transfer}, {@code pause},
	 * {@code resume}, {@code pause-election}, {@code resume-election} and {@code trigger}
	 * @param candidate the id of the candidate to transfer leadership to. Only this
	 * instance, which is the default, can be paused or resumed.
	 * @param job the name of the job to trigger
	 * @return what has begun
	 */
	@WriteOperation
	public MessageDescriptor steer(@Selector String election, @Nullable String action, @Nullable String candidate,
			@Nullable String job) {
		return steer(election, action, candidate, job, null);
	}

	MessageDescriptor steer(String election, @Nullable String action, @Nullable String candidate, @Nullable String job,
			@Nullable Principal principal) {
		String message = act(election, action, candidate, job);
		logger.atInfo()
			.addKeyValue("election", election)
			.log("'{}' requested through the actuator endpoint{}: {}", action,
					(principal != null) ? " by " + StoredText.printable(principal.getName()) : "", message);
		return new MessageDescriptor(message);
	}

	private String act(String election, @Nullable String action, @Nullable String candidate, @Nullable String job) {
		EngineStatus now = status();
		ElectionStatus current = find(election, now);
		return switch (String.valueOf(action).toLowerCase(Locale.ROOT)) {
			case "resign" -> handOver(current, null);
			case "transfer" -> handOver(current, requireCandidate(candidate, election, now));
			case "pause" -> pause(requireThisInstance(current, candidate, now));
			case "resume" -> resume(requireThisInstance(current, candidate, now));
			case "pause-election" -> suspend(election, true);
			case "resume-election" -> suspend(election, false);
			case "trigger" -> trigger(current, job);
			default -> throw new RefusedException(RefusedException.INVALID,
					"Name an action: resign, transfer (with a candidate), pause or resume (this instance), pause-election, resume-election or trigger (with a job)");
		};
	}

	private EngineStatus status() {
		return (this.engine != null) ? this.engine.status() : NOTHING;
	}

	/** Return the engine, which is there if {@link #find} has found an election. */
	private ElectionEngine engine() {
		return Objects.requireNonNull(this.engine);
	}

	private static ElectionStatus find(String election, EngineStatus status) {
		return status.elections()
			.stream()
			.filter((each) -> each.election().equals(election))
			.findFirst()
			.orElseThrow(() -> new RefusedException(RefusedException.UNKNOWN,
					"This instance does not stand in an election of that name"));
	}

	private String handOver(ElectionStatus current, @Nullable String successor) {
		String election = current.election();
		boolean begun = (successor == null) ? this.elections.resign(election)
				: !successor.equals(this.elections.candidateId()) && this.elections.transfer(election, successor);
		String to = (successor != null) ? ", to " + successor : "";
		return begun ? "Handing over '%s', term %d%s".formatted(election, current.term(), to)
				: request(current, successor, to);
	}

	private String request(ElectionStatus current, @Nullable String successor, String to) {
		if (current.role() == Role.HANDING_OVER || current.leader() == null) {
			throw notLeading(current);
		}
		Lease lease;
		try {
			lease = engine().requestHandover(current.election(), successor).orElse(null);
		}
		catch (LeaseStoreException ex) {
			throw new RefusedException(RefusedException.UNREACHABLE,
					"%s leads '%s', but may not have been asked to hand over: the store did not answer. Try again"
						.formatted(current.leader(), current.election()));
		}
		if (lease == null) {
			throw new RefusedException(RefusedException.CONFLICT,
					"'%s' has just changed. Check who leads it, and try again".formatted(current.election()));
		}
		String holder = StoredText.printable(String.valueOf(lease.holder()));
		return "Asked %s to hand over '%s', term %d%s. It will do so as soon as it sees the request".formatted(holder,
				current.election(), lease.term(), to);
	}

	private String pause(ElectionStatus current) {
		if (engine().paused().contains(current.election())) {
			throw new RefusedException(RefusedException.CONFLICT, "This instance is already paused");
		}
		this.elections.pause(current.election());
		return "This instance does not stand in '%s' until it is resumed".formatted(current.election());
	}

	private String resume(ElectionStatus current) {
		if (!engine().paused().contains(current.election())) {
			throw new RefusedException(RefusedException.CONFLICT, "This instance is not paused");
		}
		this.elections.resume(current.election());
		if (current.suspended()) {
			return "This instance stands in '%s' again once the election is resumed".formatted(current.election());
		}
		return "This instance stands in '%s' again".formatted(current.election());
	}

	/** Pause or resume an election for all instances. */
	private String suspend(String election, boolean suspended) {
		boolean done;
		try {
			done = suspended ? engine().pauseElection(election) : engine().resumeElection(election);
		}
		catch (LeaseStoreException ex) {
			throw new RefusedException(RefusedException.UNREACHABLE,
					"The store did not answer: read this endpoint to see whether the election is paused");
		}
		if (!done) {
			throw new RefusedException(RefusedException.CONFLICT,
					"'%s' is %s".formatted(election, suspended ? "already paused, or has no lease yet" : "not paused"));
		}
		return "'%s' is %s".formatted(election, suspended ? "paused: no instance leads it until it is resumed"
				: "resumed: any instance may lead it again");
	}

	private String trigger(ElectionStatus current, @Nullable String job) {
		if (job == null || job.isBlank()) {
			throw new RefusedException(RefusedException.INVALID, "Name the job to trigger");
		}
		RecordedJobs present = this.jobs.get();
		if (present == null || present.status(new JobKey(current.election(), job)) == null) {
			throw new RefusedException(RefusedException.UNKNOWN,
					"This instance records no such job in '%s': use a 'name' from 'jobs' of this endpoint"
						.formatted(current.election()));
		}
		try {
			present.trigger(current.election(), job);
		}
		catch (NotLeaderException ex) {
			throw notLeading(current);
		}
		catch (RejectedExecutionException ex) {
			throw new RefusedException(RefusedException.CONFLICT,
					"The scheduler of job '%s' rejected the run: it may have been shut down".formatted(job));
		}
		catch (RecordRefusedException | IllegalStateException ex) {
			throw new RefusedException(RefusedException.CONFLICT, EngineLog.messageOf(ex));
		}
		catch (IllegalArgumentException ex) {
			throw new RefusedException(RefusedException.INVALID, EngineLog.messageOf(ex));
		}
		return "Job '%s' was triggered, in term %d of '%s'".formatted(job, current.term(), current.election());
	}

	private List<JobStatus> jobs() {
		RecordedJobs present = this.jobs.get();
		return (present != null) ? present.status() : List.of();
	}

	private ElectionStatus requireThisInstance(ElectionStatus current, @Nullable String candidate,
			EngineStatus status) {
		if (candidate == null || candidate.equals(this.elections.candidateId())) {
			return current;
		}
		CandidateRecord other = requireStanding(candidate, current.election(), status).printable();
		String address = this.describer.describe(other, current).address();
		throw new RefusedException(RefusedException.INVALID,
				"Only %s can pause or resume itself: call this endpoint on that instance%s. To pause or resume '%s' for all instances, use pause-election or resume-election"
					.formatted(other.id(), (address != null) ? ", whose address is " + address : "",
							current.election()));
	}

	private String requireCandidate(@Nullable String candidate, String election, EngineStatus status) {
		if (candidate == null || candidate.isBlank()) {
			throw new RefusedException(RefusedException.INVALID, "Name the candidate to transfer leadership to");
		}
		if (!requireStanding(candidate, election, status).isReadyFor(election)) {
			throw new RefusedException(RefusedException.CONFLICT,
					"That candidate is paused in '%s'".formatted(election));
		}
		if (candidate.equals(find(election, status).leader())) {
			throw new RefusedException(RefusedException.INVALID,
					"That candidate already leads '%s'".formatted(election));
		}
		return candidate;
	}

	private static CandidateRecord requireStanding(@Nullable String candidate, String election, EngineStatus status) {
		CandidateRecord known = status.candidates()
			.stream()
			.filter((each) -> each.id().equals(candidate))
			.findFirst()
			.orElseThrow(() -> new RefusedException(RefusedException.INVALID,
					"Unknown candidate: use an 'id' from 'candidates' of this endpoint. A candidate that has just started appears there within a minute"));
		if (!known.elections().contains(election)) {
			throw new RefusedException(RefusedException.INVALID,
					"That candidate does not stand in '%s'".formatted(election));
		}
		return known;
	}

	private static RefusedException notLeading(ElectionStatus current) {
		if (current.role() == Role.HANDING_OVER) {
			return new RefusedException(RefusedException.CONFLICT,
					"This instance is already handing over '%s'".formatted(current.election()));
		}
		return new RefusedException(RefusedException.CONFLICT, "This instance does not lead '%s'; %s".formatted(
				current.election(), (current.leader() != null) ? current.leader() + " does" : "it sees no leader"));
	}

}
