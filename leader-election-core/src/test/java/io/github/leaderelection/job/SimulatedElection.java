package io.github.leaderelection.job;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * The one election of a simulated process, as the simulation says.
 */
final class SimulatedElection implements LeaderElection {

	static final String NAME = "e";

	private final String candidateId;

	private SimulatedTerm term;

	SimulatedElection(String candidateId) {
		this.candidateId = candidateId;
	}

	SimulatedTerm begin(long number) {
		this.term = new SimulatedTerm(this.candidateId, number);
		return this.term;
	}

	SimulatedTerm term() {
		return this.term;
	}

	@Override
	public String candidateId() {
		return this.candidateId;
	}

	@Override
	public Set<String> elections() {
		return Set.of(NAME);
	}

	@Override
	public boolean isLeader(String election) {
		return this.term != null && this.term.isHeld();
	}

	@Override
	public Optional<Leadership> leadership(String election) {
		return isLeader(election) ? Optional.of(this.term) : Optional.empty();
	}

	@Override
	public Optional<String> leader(String election) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Leadership currentLeadership() {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean runIfLeader(String election, Consumer<Leadership> work) {
		leadership(election).ifPresent(work);
		return isLeader(election);
	}

	@Override
	public boolean resign(String election) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean transfer(String election, String candidateId) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void pause(String election) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void resume(String election) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void register(Candidate candidate) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean unregister(Candidate candidate) {
		throw new UnsupportedOperationException();
	}

	/** A term that is held until the simulation ends it. */
	static class SimulatedTerm implements Leadership {

		private final String candidateId;

		private final long number;

		private boolean ending;

		private boolean ended;

		SimulatedTerm(String candidateId, long number) {
			this.candidateId = candidateId;
			this.number = number;
		}

		void beginEnding() {
			this.ending = true;
		}

		void end() {
			this.ending = true;
			this.ended = true;
		}

		@Override
		public String election() {
			return NAME;
		}

		@Override
		public String candidateId() {
			return this.candidateId;
		}

		@Override
		public long term() {
			return this.number;
		}

		@Override
		public boolean isHeld() {
			return !this.ended;
		}

		@Override
		public boolean isEnding() {
			return this.ending;
		}

		@Override
		public Duration remaining() {
			return this.ended ? Duration.ZERO : Duration.ofSeconds(20);
		}

		@Override
		public Optional<LossReason> lossReason() {
			return this.ended ? Optional.of(LossReason.EXPIRED) : Optional.empty();
		}

	}

}
