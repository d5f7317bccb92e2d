package io.github.leaderelection.job;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * The only election of a process, which leads when a test says so.
 */
final class SimulatedElection {

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

	String candidateId() {
		return this.candidateId;
	}

	SimulatedTerm term() {
		return this.term;
	}

	boolean isLed() {
		return this.term != null && this.term.isHeld();
	}

	/** Return the election for jobs, which call only these methods. */
	@SuppressWarnings("unchecked")
	LeaderElection seen() {
		return (LeaderElection) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LeaderElection.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "isLeader" -> isLed();
					case "leadership" -> isLed() ? Optional.of(this.term) : Optional.empty();
					case "runIfLeader" -> {
						((Consumer<Leadership>) arguments[1]).accept(this.term);
						yield true;
					}
					default -> throw new UnsupportedOperationException(method.getName());
				});
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
