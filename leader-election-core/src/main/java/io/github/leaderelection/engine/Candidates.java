package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The candidates of this process in one election: those that stand, some of which leave
 * when the present term has ended, and those that have left but are still to be told of
 * their defeat. Changed under the lock of {@link ElectionRegistry} only.
 */
final class Candidates {

	private final EngineContext context;

	private final Runnable wake;

	private volatile List<CandidateCallbacks> standing = List.of();

	private volatile List<CandidateCallbacks> departing = List.of();

	/** When candidates were last told of an end, and interrupted. */
	private volatile @Nullable Moment interruptedAt;

	/**
	 * Create an empty set of candidates.
	 * @param wake run when a callback has ended
	 */
	Candidates(EngineContext context, Runnable wake) {
		this.context = context;
		this.wake = wake;
	}

	List<CandidateCallbacks> standing() {
		return this.standing;
	}

	List<CandidateCallbacks> departing() {
		return this.departing;
	}

	private Stream<CandidateCallbacks> all() {
		return Stream.concat(this.standing.stream(), this.departing.stream());
	}

	private static List<CandidateCallbacks> with(List<CandidateCallbacks> some, CandidateCallbacks another) {
		return Stream.concat(some.stream(), Stream.of(another)).toList();
	}

	private static List<CandidateCallbacks> without(List<CandidateCallbacks> some, Predicate<CandidateCallbacks> gone) {
		return some.stream().filter(gone.negate()).toList();
	}

	/** Add a candidate. If it is still leaving, it is told of its defeat first. */
	void add(Candidate candidate) {
		this.standing = with(this.standing,
				all().filter((each) -> each.candidate() == candidate)
					.findFirst()
					.map(CandidateCallbacks::successor)
					.orElseGet(() -> new CandidateCallbacks(candidate, new SerialExecutor(this.context.threads()),
							this.context.observers(), this.wake)));
	}

	@Nullable CandidateCallbacks find(Candidate candidate) {
		return this.standing.stream()
			.filter((each) -> each.candidate() == candidate && !each.isLeaving())
			.findFirst()
			.orElse(null);
	}

	/** Return whether no candidate is going to stay. */
	boolean areLeaving() {
		return this.standing.stream().allMatch(CandidateCallbacks::isLeaving);
	}

	/** Remove a candidate that was not elected. */
	void remove(CandidateCallbacks callbacks) {
		this.standing = without(this.standing, callbacks::equals);
	}

	/** Let an elected candidate leave. Even if this fails halfway, it will be told. */
	void depart(CandidateCallbacks callbacks) {
		this.departing = with(this.departing, callbacks);
		remove(callbacks);
		interrupted();
	}

	/** Forget candidates that have left and are done with this term, if there is one. */
	void forgetDeparted(@Nullable Term current) {
		this.departing = without(this.departing, (each) -> current == null || each.isDoneWith(current));
	}

	/** Note that candidates are being told of an end, and interrupted. */
	void interrupted() {
		this.interruptedAt = this.context.now();
	}

	/**
	 * Return whether a candidate was interrupted at least a safety margin ago and has not
	 * returned yet. The margin is the time that it has to return.
	 */
	boolean ignoringInterrupt(Duration margin, Moment now) {
		Moment interrupted = this.interruptedAt;
		return interrupted != null && now.since(interrupted).compareTo(margin) >= 0
				&& all().anyMatch(CandidateCallbacks::ignoresInterrupt);
	}

	/** Return whether the candidate has come back before being told that it has left. */
	boolean isToBeToldFirst(Candidate candidate, Term led) {
		return this.departing.stream()
			.anyMatch((each) -> each.candidate() == candidate && !each.isDefeatAnnounced(led));
	}

	boolean hasFailed(Term led) {
		return this.standing.stream().anyMatch((each) -> each.hasFailed(led));
	}

	/** Return whether all candidates are done with this term. */
	boolean areDoneWith(Term ended) {
		return this.departing.isEmpty() && this.standing.stream().allMatch((each) -> each.isDoneWith(ended));
	}

	/** Do this for each candidate, whether it stands or has left. */
	void forEach(Consumer<CandidateCallbacks> action) {
		all().forEach(action);
	}

	List<ComponentStatus> components() {
		return this.standing.stream()
			.map(CandidateCallbacks::candidate)
			.filter(BoundCandidate.class::isInstance)
			.map((candidate) -> ((BoundCandidate) candidate).status())
			.toList();
	}

}
