package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Durations that can be set for all elections, and for one of them.
 */
public abstract class TimingProperties {

	/**
	 * How often this process renews its session while it leads. By default, a quarter of
	 * the time to live.
	 */
	private @Nullable Duration renewInterval;

	/**
	 * How much earlier than others may end its session a leader stops leading. By
	 * default, a tenth of the time to live.
	 */
	private @Nullable Duration safetyMargin;

	/**
	 * Time allowed for one operation of the store. By default, a quarter of the time to
	 * live.
	 */
	private @Nullable Duration operationTimeout;

	/**
	 * How often leases are read where changes are not pushed. By default, a tenth of the
	 * time to live.
	 */
	private @Nullable Duration pollInterval;

	/**
	 * How long a resignation or shutdown waits for gated calls and candidates to finish.
	 * When it has passed, work is interrupted and the lease kept for another time to
	 * live. By default, 25 seconds.
	 */
	private @Nullable Duration drainTimeout;

	/**
	 * How long this process does not lead after it has resigned. By default, a quarter of
	 * the time to live.
	 */
	private @Nullable Duration cooldown;

	/**
	 * How long after a fire time that was missed a recorded job can still be started. By
	 * default, 10 minutes, and at least three times the time to live.
	 */
	private @Nullable Duration startingDeadline;

	TimingProperties() {
	}

	public @Nullable Duration getRenewInterval() {
		return this.renewInterval;
	}

	public void setRenewInterval(@Nullable Duration renewInterval) {
		this.renewInterval = renewInterval;
	}

	public @Nullable Duration getSafetyMargin() {
		return this.safetyMargin;
	}

	public void setSafetyMargin(@Nullable Duration safetyMargin) {
		this.safetyMargin = safetyMargin;
	}

	public @Nullable Duration getOperationTimeout() {
		return this.operationTimeout;
	}

	public void setOperationTimeout(@Nullable Duration operationTimeout) {
		this.operationTimeout = operationTimeout;
	}

	public @Nullable Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(@Nullable Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public @Nullable Duration getDrainTimeout() {
		return this.drainTimeout;
	}

	public void setDrainTimeout(@Nullable Duration drainTimeout) {
		this.drainTimeout = drainTimeout;
	}

	public @Nullable Duration getCooldown() {
		return this.cooldown;
	}

	public void setCooldown(@Nullable Duration cooldown) {
		this.cooldown = cooldown;
	}

	public @Nullable Duration getStartingDeadline() {
		return this.startingDeadline;
	}

	public void setStartingDeadline(@Nullable Duration startingDeadline) {
		this.startingDeadline = startingDeadline;
	}

}
