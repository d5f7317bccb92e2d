package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An {@link ElectionRegistry} without threads: the test decides when things happen.
 */
final class MemberNode {

	static final Duration TTL = Duration.ofSeconds(10);

	private final PumpedExecutor threads = new PumpedExecutor();

	private final List<String> heard = new ArrayList<>();

	private final String id;

	private final ManualClock clock;

	private final ElectionRegistry elections;

	private final Answers answers;

	private final EventLoop loop;

	private Supplier<List<CandidateRecord>> directory = List::of;

	private long sessions;

	MemberNode(String id, LeaseStore store, ManualClock clock, ElectionListener... listeners) {
		this(id, store, clock, (election) -> ElectionSettings.of(TTL), listeners);
	}

	MemberNode(String id, LeaseStore store, ManualClock clock, ElectionSettings settings) {
		this(id, store, clock, (election) -> settings);
	}

	MemberNode(String id, LeaseStore store, ManualClock clock, Function<String, ElectionSettings> settings,
			ElectionListener... listeners) {
		this.id = id;
		this.clock = clock;
		List<ElectionListener> all = new ArrayList<>(List.of(listeners));
		all.add(new Ear());
		EngineContext context = new EngineContext(id, store, clock, this.threads, all, () -> {
		});
		this.elections = new ElectionRegistry(context, settings, new ElectionRegistry.Protocols() {

			@Override
			public long sessionNumber() {
				return ++MemberNode.this.sessions;
			}

		});
		this.answers = new Answers(this.elections, () -> this.directory.get());
		this.loop = new EventLoop(this.elections, this.answers, null);
	}

	String id() {
		return this.id;
	}

	ElectionRegistry elections() {
		return this.elections;
	}

	Answers answers() {
		return this.answers;
	}

	/** Set the candidates that have announced themselves. */
	void directory(Supplier<List<CandidateRecord>> candidates) {
		this.directory = candidates;
	}

	EventLoop loop() {
		return this.loop;
	}

	/** Return what listeners have been told. */
	List<String> heard() {
		return this.heard;
	}

	/** Make all calls that are due, and run all callbacks, until nothing is left. */
	void run() {
		boolean busy = true;
		while (busy) {
			StoreCall call = this.loop.poll(this.clock.now());
			if (call != null) {
				perform(call);
			}
			busy = call != null || !this.threads.isIdle();
			this.threads.pump();
		}
		Moment now = this.clock.now();
		assertThat(this.loop.plan(now, CommandPlanner::nextAt) - now.nanos()).as("time to sleep").isPositive();
	}

	void perform(StoreCall call) {
		Consumer<Moment> reply;
		try {
			reply = call.request().get();
		}
		catch (LeaseStoreException ex) {
			this.loop.failed(call, ex, this.clock.now());
			return;
		}
		this.loop.answered(call, reply, this.clock.now());
	}

	/** Return the next call that is due, without making it. */
	StoreCall poll() {
		return this.loop.poll(this.clock.now());
	}

	void pump() {
		this.threads.pump();
	}

	/** Hold up candidates, as if each were still busy, or let them go on. */
	void holdUpCandidates(boolean held) {
		this.threads.holdUp(held);
	}

	Term term(String election) {
		return this.elections.get(election).term();
	}

	ElectionStatus status(String election) {
		return this.elections.status(this.clock.now())
			.stream()
			.filter((each) -> each.election().equals(election))
			.findFirst()
			.orElseThrow();
	}

	boolean leads(String election) {
		Term term = term(election);
		return term != null && term.isHeld();
	}

	/** Enter the gate; the call is bound to no thread, and can be left open. */
	GatedCall enter(String election) {
		return enter(election, null);
	}

	GatedCall enter(String election, Runnable onLoss) {
		Term term = term(election);
		GatedCall call = (term != null) ? term.enter(false) : null;
		if (call != null) {
			call.detach(onLoss);
		}
		return call;
	}

	private final class Ear implements ElectionListener {

		@Override
		public void onElected(Leadership leadership) {
			MemberNode.this.heard.add("elected " + leadership.election() + " " + leadership.term());
		}

		@Override
		public void onDefeated(Leadership leadership) {
			MemberNode.this.heard.add("defeated " + leadership.election() + " " + leadership.term());
		}

		@Override
		public void onLeaderChanged(String election, String previous, String current) {
			MemberNode.this.heard.add("leader of " + election + ": " + previous + " -> " + current);
		}

	}

}
