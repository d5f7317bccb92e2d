package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A {@link CandidateRegistry} that puts a prefix before the name of each election, and
 * keeps its entries in another. Whoever uses it knows the names without the prefix, and
 * sees no candidate that stands in other elections only.
 */
public final class PrefixedCandidateRegistry implements CandidateRegistry {

	private final String prefix;

	private final CandidateRegistry delegate;

	private PrefixedCandidateRegistry(String prefix, CandidateRegistry delegate) {
		this.prefix = prefix;
		this.delegate = delegate;
	}

	/**
	 * Return a registry that puts a prefix before each name.
	 * @param prefix the prefix, empty for none
	 * @param delegate where the candidates are kept
	 * @return the registry
	 */
	public static CandidateRegistry of(String prefix, CandidateRegistry delegate) {
		return prefix.isEmpty() ? delegate : new PrefixedCandidateRegistry(prefix, delegate);
	}

	@Override
	public void announce(CandidateRecord candidate, Duration timeout) {
		this.delegate.announce(candidate.standingIn(outside(candidate.elections()), outside(candidate.paused())),
				timeout);
	}

	@Override
	public void remove(String candidateId, Duration timeout) {
		this.delegate.remove(candidateId, timeout);
	}

	@Override
	public List<CandidateRecord> findAll(Duration timeout) {
		return this.delegate.findAll(timeout)
			.stream()
			.filter((candidate) -> candidate.elections().isEmpty() || !inside(candidate.elections()).isEmpty())
			.map((candidate) -> candidate.standingIn(inside(candidate.elections()), inside(candidate.paused())))
			.toList();
	}

	private Set<String> outside(Set<String> names) {
		return names.stream().map((election) -> this.prefix + election).collect(Collectors.toSet());
	}

	private Set<String> inside(Set<String> names) {
		return names.stream()
			.filter((election) -> election.startsWith(this.prefix) && !election.equals(this.prefix))
			.map((election) -> election.substring(this.prefix.length()))
			.collect(Collectors.toSet());
	}

	@Override
	public List<String> damaged() {
		return this.delegate.damaged();
	}

}
