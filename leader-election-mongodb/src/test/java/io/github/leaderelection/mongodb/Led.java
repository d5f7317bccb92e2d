package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Optional;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * A leadership that says of itself what it is told.
 */
record Led(String election, long term, boolean isHeld) implements Leadership {

	Led(long term, boolean held) {
		this("fenced", term, held);
	}

	@Override
	public String candidateId() {
		return "app@host:1-00000000";
	}

	@Override
	public Duration remaining() {
		return this.isHeld ? Duration.ofSeconds(1) : Duration.ZERO;
	}

	@Override
	public Optional<LossReason> lossReason() {
		return this.isHeld ? Optional.empty() : Optional.of(LossReason.EXPIRED);
	}

}
