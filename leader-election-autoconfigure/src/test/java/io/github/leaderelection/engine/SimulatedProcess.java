package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;

/**
 * A process of a simulation: its clocks, its candidate, and at most one call under way.
 */
final class SimulatedProcess {

	private final ManualClock clock = new ManualClock();

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final ElectionsNode node;

	private final double rate;

	private StoreCall call;

	private Moment sentAt;

	private StoreCall.Reply reply;

	private GatedCall work;

	private int isolated;

	SimulatedProcess(String id, SimulatedStore store, double rate) {
		this.node = new ElectionsNode(id, store, this.clock);
		this.rate = rate;
		this.node.elections().register(this.candidate);
		store.watchWork(id, () -> this.work != null);
	}

	ElectionsNode node() {
		return this.node;
	}

	ManualClock clock() {
		return this.clock;
	}

	List<String> events() {
		return this.candidate.events();
	}

	/** Let the time pass, at the rate of this process. */
	void pass(int millis) {
		this.isolated -= Math.min(millis, this.isolated);
		this.clock.advance(Duration.ofNanos((long) (millis * 1_000_000L * this.rate)));
	}

	/** Cut the process off from the store for this time. */
	void isolate(int millis) {
		this.isolated = millis;
	}

	boolean isIsolated() {
		return this.isolated > 0;
	}

	/** Return whether the store has answered, and the answer is on its way. */
	boolean awaitsAnswer() {
		return this.reply != null;
	}

	/** Let the call under way come one step further. */
	void proceed() {
		if (this.call == null) {
			this.call = this.node.poll();
			this.sentAt = this.clock.now();
		}
		else if (this.reply == null) {
			this.reply = this.call.perform();
		}
		else {
			this.reply.accept(this.sentAt, this.clock.now());
			this.call = null;
			this.reply = null;
		}
	}

	/** Lose the call under way, or its answer, and return it. */
	StoreCall lose() {
		StoreCall lost = this.call;
		if (lost != null) {
			lost.fail(this.clock.now());
		}
		this.call = null;
		this.reply = null;
		return lost;
	}

	/** Begin gated work, or end it. */
	void enterOrLeave() {
		if (this.work != null) {
			this.work.end();
			this.work = null;
		}
		else {
			this.work = this.node.enter("jobs");
		}
	}

	/** Do all that is due. */
	void runFaultlessly() {
		if (this.work != null) {
			enterOrLeave();
		}
		lose();
		this.node.run();
	}

	/** Return whether the candidate was elected and defeated in turn. */
	boolean isBalanced() {
		List<String> events = this.candidate.events();
		for (int i = 0; i < events.size(); i++) {
			if (!events.get(i).startsWith((i % 2 == 0) ? "elected" : "defeated")) {
				return false;
			}
		}
		return true;
	}

}
