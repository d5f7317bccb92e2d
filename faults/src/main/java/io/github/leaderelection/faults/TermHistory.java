package io.github.leaderelection.faults;

import java.util.Set;

import io.github.leaderelection.LossReason;

/**
 * What one life of a candidate has observed of one of its terms. Times are those of
 * {@link System#nanoTime()}.
 * <p>
 * If the answer is that the term is held, it was held at some instant between the
 * question and the answer. Since a term is held without a break, it was surely held from
 * the first answer to the last question.
 */
final class TermHistory {

	private static final Set<String> BY_CHOICE = Set.of(LossReason.RESIGNED.name(), LossReason.SHUTDOWN.name(),
			LossReason.CALLBACK_FAILED.name());

	private final String election;

	private final long term;

	private final Life life;

	private long firstAnswer = Long.MAX_VALUE;

	private long lastQuestion = Long.MIN_VALUE;

	private long firstCall = Long.MAX_VALUE;

	private long lastCallEnd = Long.MIN_VALUE;

	private int calls;

	private boolean callOpen;

	TermHistory(String election, long term, Life life) {
		this.election = election;
		this.term = term;
		this.life = life;
	}

	void held(long question, long answer) {
		this.firstAnswer = Math.min(this.firstAnswer, answer);
		this.lastQuestion = Math.max(this.lastQuestion, question);
	}

	void callBegun(long at) {
		this.firstCall = Math.min(this.firstCall, at);
		this.calls++;
		this.callOpen = true;
	}

	void callDone(long at) {
		this.lastCallEnd = Math.max(this.lastCallEnd, at);
		this.callOpen = false;
	}

	String election() {
		return this.election;
	}

	long term() {
		return this.term;
	}

	Life life() {
		return this.life;
	}

	/** Return whether any answer was that the term is held. */
	boolean wasHeld() {
		return this.firstAnswer != Long.MAX_VALUE;
	}

	/** Return since when it was surely held, unless {@link #heldUntil()} is earlier. */
	long heldSince() {
		return this.firstAnswer;
	}

	/** Return until when it was surely held. */
	long heldUntil() {
		return this.lastQuestion;
	}

	long firstCall() {
		return this.firstCall;
	}

	long lastCallEnd() {
		return this.callOpen ? Long.MAX_VALUE : this.lastCallEnd;
	}

	int calls() {
		return this.calls;
	}

	/**
	 * Return whether the term is known to have ended by choice. A term that expired is
	 * released as well, though its work may go on.
	 */
	boolean endedByChoice() {
		return BY_CHOICE.contains(this.life.lossReason(this.election, this.term));
	}

	/**
	 * Return whether both were provably held at one instant: the times in which they were
	 * surely held overlap, or one was held at an instant within those of the other.
	 */
	boolean overlaps(TermHistory other) {
		boolean certain = isCertain() || other.isCertain();
		return certain && this.firstAnswer <= other.lastQuestion && other.firstAnswer <= this.lastQuestion;
	}

	private boolean isCertain() {
		return this.firstAnswer <= this.lastQuestion;
	}

	@Override
	public String toString() {
		return "%s term %d of %s, held %d to %d".formatted(this.election, this.term, this.life.name(), this.firstAnswer,
				this.lastQuestion);
	}

}
