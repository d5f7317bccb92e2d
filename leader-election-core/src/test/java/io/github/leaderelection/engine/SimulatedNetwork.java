package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.leaderelection.engine.SimulatedClient.Request;
import io.github.leaderelection.store.Lease;

/**
 * Carries requests to the database and answers back: late, twice, or not at all.
 */
final class SimulatedNetwork {

	static final Duration BEYOND_ANY_TIMEOUT = Duration.ofSeconds(90);

	/** The odds that a day can have for an event: never, rarely, often. */
	private static final List<Integer> ODDS = List.of(0, 1_000, 30);

	private static final Duration CALM = Duration.ofMillis(4);

	private static final Duration FLUSH = Duration.ofMillis(100);

	private final Set<Late> underWay = new LinkedHashSet<>();

	private final Timeline timeline;

	private final Dice dice;

	private final SimulatedMongo mongo;

	private final int lost;

	private final int twice;

	private final int late;

	/** How long most messages take. */
	private final Duration speed;

	/** The longest time until a majority has a write, in milliseconds. */
	private final int replication;

	private boolean calm;

	private boolean down;

	private boolean silent;

	private boolean splitBrain;

	private boolean withoutMajority;

	private boolean committing;

	SimulatedNetwork(Timeline timeline, Dice dice, SimulatedMongo mongo) {
		this.timeline = timeline;
		this.dice = dice;
		this.mongo = mongo;
		this.lost = dice.pick(ODDS);
		this.twice = dice.pick(ODDS);
		this.late = dice.pick(ODDS);
		this.speed = dice.pick(List.of(Duration.ofMillis(1), Duration.ofMillis(5)));
		this.replication = dice.pick(List.of(2, 30, 200));
	}

	/** Lose nothing from now on, and be quick. */
	void calmDown() {
		this.calm = true;
		setDown(false);
		setSplitBrain(false);
		setWithoutMajority(false);
	}

	/** Set whether the database is down: it refuses requests, or silently loses them. */
	void setDown(boolean down) {
		this.down = down;
		this.silent = this.dice.onceIn(2);
	}

	/** Set whether some requests go to a primary that does not know it was replaced. */
	void setSplitBrain(boolean splitBrain) {
		this.splitBrain = splitBrain;
	}

	/** Set whether writes reach no majority. */
	void setWithoutMajority(boolean withoutMajority) {
		this.withoutMajority = withoutMajority;
		commitSoon();
	}

	/**
	 * Send a request.
	 * @param answer receives the answer: perhaps much later, never, or twice
	 * @param refusal run instead if the database is seen to be down
	 */
	void send(SimulatedProcess from, Request request, Consumer<Object> answer, Runnable refusal) {
		if (from.link().losesRequests() || (from.link().losesReads() && !request.write()) || happens(this.lost)) {
			return;
		}
		for (int copies = happens(this.twice) ? 2 : 1; copies > 0; copies--) {
			carry(from, from.link().slowness(), () -> arrive(from, request, answer, refusal));
		}
	}

	private void arrive(SimulatedProcess from, Request request, Consumer<Object> answer, Runnable refusal) {
		if (this.down) {
			if (!this.silent) {
				bringBack(from, refusal);
			}
			return;
		}
		boolean toReplaced = this.splitBrain && this.dice.onceIn(3);
		if (toReplaced && request.write()) {
			return;
		}
		this.mongo.setStaleness(toReplaced ? this.dice.between(1, 10) : 0);
		Object found = request.operation().apply(this.mongo);
		if (request.write()) {
			this.mongo.whenDurable(() -> bringBack(from, () -> answer.accept(found)));
			commitSoon();
		}
		else {
			bringBack(from, () -> answer.accept(found));
		}
	}

	private void bringBack(SimulatedProcess to, Runnable action) {
		if (!to.link().losesAnswers() && !happens(this.lost)) {
			carry(to, to.link().answerSlowness(), () -> to.run(action));
		}
	}

	private void commitSoon() {
		if (!this.committing && !this.withoutMajority) {
			this.committing = true;
			this.timeline.after(Duration.ofMillis(this.dice.between(1, this.calm ? 3 : this.replication)), () -> {
				this.committing = false;
				if (!this.withoutMajority) {
					this.mongo.commit();
				}
			});
		}
	}

	/** Open a change stream, and return whether that was possible. */
	boolean watch(SimulatedProcess process, Consumer<Lease> watch) {
		if (this.down || process.link().losesRequests() || process.link().losesAnswers()) {
			return false;
		}
		this.mongo.watch(watch);
		return true;
	}

	void push(SimulatedProcess to, Runnable action) {
		bringBack(to, action);
	}

	/**
	 * Deliver a message after a while, or much later, perhaps just when something else
	 * goes wrong.
	 */
	void carry(SimulatedProcess process, Duration slowness, Runnable arrival) {
		if (happens(this.late)) {
			Late message = new Late(arrival);
			this.underWay.add(message);
			this.timeline.after(
					this.dice.upTo(this.dice.onceIn(2) ? BEYOND_ANY_TIMEOUT : process.settings().ttl().multipliedBy(2)),
					message);
		}
		else {
			Duration usual = this.calm ? CALM : this.speed;
			this.timeline.after(usual.toNanos() / 4 + this.dice.upTo(usual) + this.dice.upTo(slowness), arrival);
		}
	}

	/** Deliver all late messages soon. */
	void flush() {
		List.copyOf(this.underWay).forEach((message) -> this.timeline.after(this.dice.upTo(FLUSH), message));
	}

	private boolean happens(int odds) {
		return !this.calm && this.dice.onceIn(odds);
	}

	/** A late message, which arrives only once. */
	private final class Late implements Runnable {

		private final Runnable arrival;

		Late(Runnable arrival) {
			this.arrival = arrival;
		}

		@Override
		public void run() {
			if (SimulatedNetwork.this.underWay.remove(this)) {
				this.arrival.run();
			}
		}

	}

}
