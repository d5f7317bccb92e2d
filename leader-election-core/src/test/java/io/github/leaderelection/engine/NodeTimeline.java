package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.PlainTimeline;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Rival;
import io.github.leaderelection.store.Session;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A time line of processes that stand in elections, with a TTL of 10 s: they renew their
 * sessions every 2.5 s, and poll every second. After each action, its process makes all
 * calls that are due. Time passes in steps of 100 ms; after each, all processes do so, in
 * the order in which they were created. Everything that candidates are told must be
 * mentioned in the line in which it happens.
 */
final class NodeTimeline extends PlainTimeline<NodeTimeline.Process> {

	private final ManualClock clock = new ManualClock();

	private final long start = this.clock.nanos();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	private final Map<String, Process> processes = new LinkedHashMap<>();

	/** The processes that have announced themselves. */
	private List<String> known = List.of();

	NodeTimeline(CharSequence log) {
		super(log);
		addRulesOfCandidates();
		addRulesOfWishes();
		addRulesOfSurroundings();
		addRulesOfStatus();
		addRulesOfLeases();
	}

	@Override
	protected Process process(String name) {
		return this.processes.computeIfAbsent(name, Process::new);
	}

	@Override
	protected boolean prepare(String subject, String description) {
		if (subject.equals("known")) {
			this.known = List.of(description.split(", "));
			return true;
		}
		return false;
	}

	@Override
	protected void passUntil(String time) {
		long end = this.start + duration(time).toNanos();
		while (this.clock.nanos() - end < 0) {
			this.clock.advance(Duration.ofNanos(Math.min(end - this.clock.nanos(), 100_000_000)));
			this.processes.values().forEach(Process::run);
		}
	}

	@Override
	protected void endLine() {
		this.processes.values()
			.forEach((process) -> assertThat(process.news()).as("what candidates of %s are told", process.node.id())
				.isEmpty());
	}

	/** Add a rule for an action, after which its process makes all calls that are due. */
	private void action(String written, Action action) {
		rule(written, (process, matched) -> {
			action.perform(process, (matched.groupCount() > 0) ? matched.group(1) : "");
			process.run();
		});
	}

	private void addRulesOfCandidates() {
		action("joins (\\S+)", (process, election) -> process.elections().join(election));
		action("joins (\\d+) elections", (process, number) -> IntStream.range(0, Integer.parseInt(number))
			.forEach((i) -> process.elections().join("election-" + i)));
		action("registers (\\S+)", (process, election) -> process.register(election, new RecordingCandidate(election)));
		action("registers (\\S+) and fails",
				(process, election) -> process.register(election, new RecordingCandidate(election) {

					@Override
					protected void lead(Leadership leadership) {
						throw new IllegalStateException("expected by the test");
					}

				}));
		action("registers (\\S+) and is bound",
				(process, election) -> process.register(election, new RecordingCandidate.Bound(election)));
		action("holds its candidates up", (process, none) -> process.node.holdUpCandidates(true));
		action("lets its candidates go on", (process, none) -> process.node.holdUpCandidates(false));
		action("unregisters (\\S+)", (process, election) -> {
			RecordingCandidate candidate = process.candidates.get(election);
			assertThat(process.elections().unregister(candidate)).isTrue();
			assertThat(process.elections().unregister(candidate)).isFalse();
		});
		rule("is told (.+)", (process, matched) -> {
			assertThat(process.news()).isNotEmpty();
			assertThat(process.news().get(0)).isEqualTo(matched.group(1));
			process.told++;
		});
		rule("leads (\\S+)", (process, matched) -> assertThat(process.node.leads(matched.group(1))).isTrue());
		rule("leads (\\S+) in term (\\d+)", (process, matched) -> {
			assertThat(process.node.leads(matched.group(1))).isTrue();
			assertThat(process.node.term(matched.group(1)).term()).isEqualTo(Long.parseLong(matched.group(2)));
		});
		rule("does not lead (\\S+)", (process, matched) -> assertThat(process.node.leads(matched.group(1))).isFalse());
		action("enters (\\S+)", (process, election) -> {
			GatedCall call = process.node.enter(election);
			assertThat(call).isNotNull();
			process.calls.add(call);
		});
		rule("is refused at (\\S+)", (process, matched) -> assertThat(process.node.enter(matched.group(1))).isNull());
		action("leaves", (process, none) -> process.calls.remove(0).close());
	}

	private void addRulesOfWishes() {
		action("resigns (\\S+)", (process, name) -> assertThat(process.elections().resign(name, null)).isTrue());
		rule("resigns (\\S+) to ([A-Z])", (process, matched) -> {
			assertThat(process.elections().resign(matched.group(1), matched.group(2))).isTrue();
			process.run();
		});
		rule("can't resign (\\S+)",
				(process, matched) -> assertThat(process.elections().resign(matched.group(1), null)).isFalse());
		action("pauses in (\\S+)", (process, election) -> process.elections().pauseMember(election, true));
		action("resumes in (\\S+)", (process, election) -> process.elections().pauseMember(election, false));
		action("pauses (\\S+) for all", (process, election) -> {
			assertThat(process.elections().pauseElection(election, true)).isTrue();
			assertThat(process.elections().pauseElection(election, true)).isFalse();
		});
		action("resumes (\\S+) for all", (process, election) -> {
			assertThat(process.elections().pauseElection(election, false)).isTrue();
			assertThat(process.elections().pauseElection(election, false)).isFalse();
		});
		rule("asks for (\\S+) to be handed to ([A-Z])",
				(process,
						matched) -> assertThat(process.elections().requestHandover(matched.group(1), matched.group(2)))
							.isNotNull());
		rule("has nobody to ask for (\\S+)",
				(process, matched) -> assertThat(process.elections().requestHandover(matched.group(1), "Z")).isNull());
		action("is about to close", (process, none) -> process.elections().prepareClose());
		action("closes", (process, none) -> process.elections().close());
		rule("is closed", (process, matched) -> assertThat(process.elections().areOver()).isTrue());
		rule("is not closed yet", (process, matched) -> assertThat(process.elections().areOver()).isFalse());
	}

	private void addRulesOfSurroundings() {
		action("hears of changes", (process, none) -> process.node.answers().setPushed(true));
		action("sees the lease of (\\S+)", (process, election) -> process.node.answers().pushed(read(election)));
		action("sees that the lease of (\\S+) is gone",
				(process, election) -> process.node.answers().pushedRemoval(election));
		action("sees that something has changed", (process, none) -> process.node.answers().pushedUnclear());
		action("loses the store", (process, none) -> process.store.failBefore());
		action("reaches the store", (process, none) -> process.store.heal());
		rule("finds (\\S+) damaged: (.*)",
				(process, matched) -> process.store.damage(Map.of(matched.group(1), matched.group(2))));
		rule("is overtaken by ([A-Z]) in (\\S+)", (process, matched) -> {
			Lease lease = Rival.create(this.leases, matched.group(2), 1, MemberNode.TTL);
			process.store.before((method, what, timeout) -> {
				if (method.equals("take") && read(matched.group(2)).equals(lease)) {
					new Rival(this.leases, matched.group(1), MemberNode.TTL).take(lease);
				}
			});
		});
		rule("finds that (\\S+) can't be taken", (process, matched) -> process.store.neverTake(matched.group(1)));
		rule("hears of something else while it reads",
				(process, matched) -> process.store.before((method, what, timeout) -> {
					if (method.equals("read")) {
						process.store.heal();
						this.clock.advance(Duration.ofMillis(1));
						process.node.answers().pushedUnclear();
					}
				}));
		rule("can't get ([\\w ]+?)(?: \\((.+)\\))?",
				(process, matched) -> process.store.before((method, what, timeout) -> {
					if (List.of(matched.group(1).split(" or ")).contains(method)) {
						throw new LeaseStoreException("no " + method + ": " + matched.group(2), matched.group(2), null);
					}
				}));
		rule("knows of an outage for " + DURATION,
				(process, matched) -> assertThat(process.node.loop().outage(this.clock.now()).duration())
					.isEqualTo(duration(matched.group(1))));
		rule("knows of no outage",
				(process, matched) -> assertThat(process.node.loop().outage(this.clock.now())).isNull());
		rule("has " + DURATION + " for a call",
				(process, matched) -> assertThat(process.node.loop().plan(this.clock.now(), CommandPlanner::callLimit))
					.isEqualTo(duration(matched.group(1))));
		rule("finds nothing damaged", (process, matched) -> process.store.damage(Map.of()));
		rule("stops", (process, matched) -> process.stopped = true);
		rule("goes on", (process, matched) -> {
			process.stopped = false;
			process.run();
		});
		rule("forgets its calls", (process, matched) -> process.store.takeCalls());
		rule("has called, but for (.+?): (.+)", (process, matched) -> {
			List<String> ignored = List.of(matched.group(1).split(" and "));
			assertThat(process.store.takeCalls()).filteredOn((call) -> !ignored.contains(call))
				.containsExactly(matched.group(2).split(", "));
		});
		rule("has called: (.+)", (process, matched) -> assertThat(process.store.takeCalls())
			.containsExactly(matched.group(1).split(", ")));
		rule("has called nothing", (process, matched) -> assertThat(process.store.takeCalls()).isEmpty());
		rule("has only read", (process, matched) -> assertThat(process.store.takeCalls()).isNotEmpty()
			.allMatch((call) -> call.equals("watch") || call.startsWith("read")));
		rule("has not called: (.+)", (process, matched) -> assertThat(process.store.takeCalls())
			.doesNotContain(matched.group(1).split(", ")));
	}

	private void addRulesOfStatus() {
		rule("is (\\p{Upper}\\p{Upper}\\S+) in (\\S+)", (process,
				matched) -> assertThat(process.node.status(matched.group(2)).role()).hasToString(matched.group(1)));
		rule("knows that (\\S+) is paused for all",
				(process, matched) -> assertThat(process.node.status(matched.group(1)).suspended()).isTrue());
		rule("knows that (\\S+) is not paused for all",
				(process, matched) -> assertThat(process.node.status(matched.group(1)).suspended()).isFalse());
		rule("follows ([A-Z]) in (\\S+)", (process, matched) -> {
			assertThat(process.node.status(matched.group(2)).leader()).isEqualTo(matched.group(1));
			assertThat(process.node.status(matched.group(2)).leaderless()).isZero();
			assertThat(process.node.status(matched.group(2)).observed()).isLessThanOrEqualTo(Duration.ofSeconds(1));
		});
		rule("shows (\\S+): (.+)", (process, matched) -> {
			ElectionStatus status = process.node.status(matched.group(1));
			assertThat("%s in term %d of %s%s, %s left, seen %s ago, %d calls, lost by %s".formatted(status.role(),
					status.term(), status.leader(), (status.electedAt() != null) ? " with a date" : "",
					status.remaining(), status.observed(), status.callsInFlight(), status.lastLoss()))
				.isEqualTo(matched.group(2));
		});
		rule("has renewed (\\S+) " + DURATION + " ago",
				(process, matched) -> assertThat(process.node.status(matched.group(1)).sinceRenewal())
					.isEqualTo(duration(matched.group(2))));
		rule("has not renewed (\\S+)",
				(process, matched) -> assertThat(process.node.status(matched.group(1)).sinceRenewal()).isNull());
		rule("has missed a leader of (\\S+) for " + DURATION,
				(process, matched) -> assertThat(process.node.status(matched.group(1)).leaderless())
					.isEqualTo(duration(matched.group(2))));
		rule("is paused in nothing", (process, matched) -> assertThat(process.elections().paused()).isEmpty());
		rule("is paused in (\\S+)",
				(process, matched) -> assertThat(process.elections().paused()).containsExactly(matched.group(1)));
		rule("stands in nothing", (process, matched) -> assertThat(process.elections().names()).isEmpty());
		rule("stands in (\\S+)",
				(process, matched) -> assertThat(process.elections().names()).containsExactly(matched.group(1)));
		rule("has heard: (.+)",
				(process, matched) -> assertThat(process.node.heard()).containsExactly(matched.group(1).split(", ")));
		rule("has observed: (.+)",
				(process, matched) -> assertThat(process.observed).containsExactly(matched.group(1).split(", ")));
		rule("knows that ([A-Z]) is gone", (process, matched) -> assertThat(process.elections().gone(this.clock.now()))
			.containsExactly(matched.group(1)));
		rule("knows that nobody is gone",
				(process, matched) -> assertThat(process.elections().gone(this.clock.now())).isEmpty());
	}

	private void addRulesOfLeases() {
		rule("the lease of (\\S+) is vacant",
				(none, matched) -> assertThat(read(matched.group(1)).isVacant()).isTrue());
		rule("the lease of (\\S+) is held by ([A-Z])", (none, matched) -> {
			Lease lease = read(matched.group(1));
			assertThat(lease.holder()).isEqualTo(matched.group(2));
			assertThat(alive().map(Session::id)).contains(lease.sessionId());
		});
		rule("the lease of (\\S+) asks for nothing",
				(none, matched) -> assertThat(read(matched.group(1)).request()).isNull());
		rule("there is no lease of (\\S+)", (none, matched) -> assertThat(read(matched.group(1))).isNull());
		rule("the lease of (\\S+) is removed",
				(none, matched) -> Rival.remove(this.stores.store(LeaseStore.LEASES), matched.group(1)));
		rule("the session of ([A-Z]) is ended", (none, matched) -> {
			Session session = alive().filter((each) -> each.candidate().equals(matched.group(1)))
				.findAny()
				.orElseThrow();
			assertThat(this.leases.expire(session, MemberNode.TTL)).isTrue();
		});
		rule("somebody has a session", (none, matched) -> new Rival(this.leases, "X", MemberNode.TTL).renew());
		rule("somebody takes (\\S+), and its session is removed", (none, matched) -> {
			String id = new Rival(this.leases, "X", MemberNode.TTL).take(matched.group(1)).sessionId();
			Rival.remove(this.stores.store(LeaseStore.SESSIONS), id);
		});
		rule("nobody has a session", (none, matched) -> assertThat(alive()).isEmpty());
		rule("sessions are those of: (.*)", (none, matched) -> assertThat(alive().map(Session::candidate).sorted())
			.containsExactly(matched.group(1).split(", ")));
	}

	private Lease read(String election) {
		return this.leases.read(List.of(election), List.of(), MemberNode.TTL).leases().get(election);
	}

	private Stream<Session> alive() {
		return this.leases.sessions(List.of(), true, MemberNode.TTL)
			.sessions()
			.values()
			.stream()
			.filter((session) -> !session.ended());
	}

	private List<CandidateRecord> directory() {
		return this.processes.values()
			.stream()
			.filter((process) -> this.known.contains(process.node.id()))
			.map((process) -> new CandidateRecord(process.node.id(), "shop", "host", null, null,
					process.elections().names(), null, process.elections().paused()))
			.toList();
	}

	private interface Action {

		void perform(Process process, String election);

	}

	/** A process of the time line. */
	final class Process implements EngineObserver {

		private final FaultyLeaseStore store = new FaultyLeaseStore(NodeTimeline.this.leases);

		private final Map<String, RecordingCandidate> candidates = new LinkedHashMap<>();

		private final List<GatedCall> calls = new ArrayList<>();

		private final List<String> observed = new ArrayList<>();

		private final MemberNode node;

		/** How many of the events of candidates have been mentioned. */
		private int told;

		private boolean stopped;

		private Process(String name) {
			this.node = new MemberNode(name, this.store, NodeTimeline.this.clock, this);
			this.node.directory(NodeTimeline.this::directory);
		}

		private ElectionRegistry elections() {
			return this.node.elections();
		}

		/** Register a candidate; if it was registered before, the same one comes back. */
		private void register(String election, RecordingCandidate candidate) {
			this.candidates.putIfAbsent(election, candidate);
			elections().register(this.candidates.get(election));
		}

		private List<String> news() {
			return this.candidates.values()
				.stream()
				.flatMap((candidate) -> candidate.events().stream())
				.skip(this.told)
				.toList();
		}

		private void run() {
			if (!this.stopped) {
				this.node.run();
			}
		}

		@Override
		public void onTakeover(String election, boolean won) {
			this.observed.add((won ? "won" : "lost") + " takeover of " + election);
		}

		@Override
		public void onDrain(String election, long nanos, boolean complete) {
			observe(election, (complete ? "complete" : "incomplete") + " drain", nanos);
		}

		@Override
		public void onCallback(String election, Callback callback, long nanos, boolean failed) {
			observe(election, (failed ? "failed " : "") + callback + " callback", nanos);
		}

		@Override
		public void onCallEnded(String election, long nanos, boolean interrupted) {
			observe(election, (interrupted ? "interrupted" : "completed") + " call", nanos);
		}

		private void observe(String election, String what, long nanos) {
			this.observed.add("%s of %s after %d ms".formatted(what, election, nanos / 1_000_000));
		}

	}

}
