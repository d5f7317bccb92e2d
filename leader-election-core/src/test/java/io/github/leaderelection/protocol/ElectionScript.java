package io.github.leaderelection.protocol;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState.Loss;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A script of what happens to candidate {@code me}, which wants to lead one election, and
 * of what is expected in between. Its TTL is 10 s: it polls every second, reads its own
 * lease every 2.5 s, gives back a lost lease after 1 s, drains for 25 s, has a cooldown
 * of 2.5 s, and tries again after 625 ms. All times are milliseconds.
 * <p>
 * A lease is its holder, term and revision, such as {@code other 7.30}; {@code - 7.30} is
 * vacant, and {@code >heir 7.30} is vacant and kept for a successor. It may name a
 * session ({@code me#4 7.30}) or a TTL ({@code other 7.30/60000}), be {@code paused}, or
 * request a handover of a term ({@code me 8.32 asks 8 heir}).
 * <p>
 * The command that is due is {@code done}, {@code refused} or {@code unanswered}. The
 * next one is expected by {@code due take 8}: now; {@code next take 8 in 500}: then, and
 * nothing before; and {@code after 2000 take 8}: then, if all reads before show the same.
 * <p>
 * Each step also checks that time changes the state exactly when the protocol said so.
 */
abstract class ElectionScript {

	static final Duration TTL = Duration.ofSeconds(10);

	static final Timing TIMING = new Timing(TTL, Duration.ofMillis(2_500), Duration.ofSeconds(1),
			Duration.ofMillis(2_500), Duration.ofSeconds(1), Duration.ofSeconds(25), Duration.ofMillis(2_500));

	/** The delay before taking a lease that another process has freed. */
	static final Duration HEAD_START = Duration.ofMillis(300);

	static final long SESSION = 3;

	private static final Pattern LEASE = Pattern
		.compile("(-|>?\\w+)(?:#(\\d+))? (\\d+)\\.(\\d+)(?:/(\\d+))?( paused)?(?: asks (\\d+) (-|\\w+))?");

	final SessionProtocol sessions = new SessionProtocol("me", TIMING, () -> SESSION);

	final ElectionProtocol protocol = new ElectionProtocol("me", TIMING, this.sessions);

	/** The monotonic clock is about to overflow, as a real one may. */
	Moment now = new Moment(Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(), 1_700_000_000_000L);

	ElectionState state = this.protocol.begin("jobs", 0, this.now.nanos(), this.now);

	@Nullable Observation holder;

	/** The lease as stored, as far as the script has told. */
	private @Nullable Lease stored;

	/** When the next answer was requested, {@code null} if it takes no time. */
	private @Nullable Moment sentAt;

	private boolean pushes;

	ElectionScript() {
		on(ElectionEvent.wished(Wish.LEAD));
	}

	void run(String script) {
		Scripts.run(script, (step) -> run(List.of(step.split(" ", 2))));
	}

	private void run(List<String> step) {
		String what = (step.size() > 1) ? step.get(1) : "";
		String[] words = what.split(" ");
		switch (step.get(0)) {
			// What happens
			case "begin" -> begin(Long.parseLong(words[0]), Long.parseLong(words[1]));
			case "wish" -> on(ElectionEvent.wished(Wish.valueOf(what)));
			case "pushes" -> this.pushes = Boolean.parseBoolean(what);
			case "send" -> this.sentAt = this.now;
			case "read" -> read(what);
			case "push" -> on(ElectionEvent.pushed(store(what), this.pushes));
			case "done" -> done(due());
			case "late" -> on(ElectionEvent.taken(won((Command.Take) due()), false, sentAt()));
			case "refused" -> refused(due());
			// A command that is not due may have been sent along with others.
			case "unanswered" -> on(ElectionEvent.unanswered((due() != null) ? due() : new Command.ReadLease()));
			case "lead" -> run("read - %d.30; done; phase LEADING".formatted(Long.parseLong(what) - 1));
			case "resign" ->
				on(ElectionEvent.resigned(LossReason.valueOf(words[0]), (words.length > 1) ? words[1] : null));
			case "end" -> on(ElectionEvent.ended(this.state.term().number(), LossReason.valueOf(what)));
			case "settled" -> on(ElectionEvent.settled(this.state.term().number()));
			case "hint" -> on(what.isEmpty() ? ElectionEvent.hinted() : ElectionEvent.hintedBy(in(what)));
			case "doubt" -> on(ElectionEvent.doubted());
			case "elapsed" -> on(ElectionEvent.elapsed());
			case "unvouched" -> on(ElectionEvent.unvouched());
			case "holder" -> sees(session(what));
			case "pass" -> pass(Long.parseLong(words[0]), words.length > 1);
			case "jump" -> this.now = new Moment(this.now.nanos(), this.now.millis() + Long.parseLong(what));
			// What is expected
			case "due" -> assertThat(text(due())).isEqualTo(what);
			case "next" -> assertThat(next()).isEqualTo(what);
			case "after" -> assertAfter(Long.parseLong(words[0]), what.substring(words[0].length() + 1));
			case "phase" -> assertThat(phase()).isEqualTo(what);
			case "lost" -> assertLost(LossReason.valueOf(words[0]), words.length > 1);
			case "leader" -> assertThat(this.state.leader("me")).isEqualTo(what.equals("-") ? null : what);
			case "deadline" -> assertThat(this.protocol.deadlineAt(this.state, this.now)).isEqualTo(in(what));
			case "is" -> assertThat(is(what)).isTrue();
			case "not" -> assertThat(is(what)).isFalse();
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	// What happens

	void begin(long highestTerm, long notBeforeMillis) {
		this.state = this.protocol.begin("jobs", highestTerm, in("" + notBeforeMillis), this.now);
		this.holder = null;
		on(ElectionEvent.wished(Wish.LEAD));
	}

	void on(ElectionEvent event) {
		this.state = this.protocol.on(this.state, event, this.now);
		assertPunctual();
	}

	private void read(String what) {
		if (what.equals("damage")) {
			on(ElectionEvent.readDamage(sentAt(), this.pushes));
			return;
		}
		this.stored = what.equals("none") ? null : store(what);
		on(ElectionEvent.read(this.stored, sentAt(), this.pushes));
	}

	private Moment sentAt() {
		Moment at = (this.sentAt != null) ? this.sentAt : this.now;
		this.sentAt = null;
		return at;
	}

	private void done(@Nullable Command command) {
		if (command instanceof Command.Take take) {
			on(ElectionEvent.taken(won(take), true, sentAt()));
		}
		else if (command instanceof Command.Release release) {
			this.stored = release.expected().released(release.successor());
			on(ElectionEvent.released(release.expected(), release.successor()));
		}
		else if (command instanceof Command.Expire expire) {
			this.holder = new Observation(expire.silent().expired(), this.now.nanos(), this.now.nanos());
		}
		else {
			assertThat(command).isInstanceOf(Command.Create.class);
			on(ElectionEvent.created(true));
		}
	}

	private Lease won(Command.Take take) {
		this.stored = new Lease("jobs", "me", SESSION, take.term(), take.expected().revision() + 1, TTL, null, null,
				null, false);
		return this.stored;
	}

	private void refused(@Nullable Command command) {
		on((command instanceof Command.Take take) ? ElectionEvent.takeRefused(take.expected())
				: (command instanceof Command.Release release) ? ElectionEvent.releaseRefused(release.expected())
						: ElectionEvent.created(false));
	}

	void sees(@Nullable Session session) {
		this.holder = this.sessions.observe(this.holder, session, this.now, HEAD_START);
		assertPunctual();
	}

	private @Nullable Session session(String what) {
		return switch (what) {
			case "none" -> null;
			case "ended" -> new Session("other", SESSION, 99, TTL, null, true);
			case "tombstone" -> this.state.presentLease().tombstone();
			default ->
				// Each read shows another date, which must not matter.
				new Session("other", SESSION, Long.parseLong(what), this.state.presentLease().ttl(),
						Instant.ofEpochMilli(this.now.millis()), false);
		};
	}

	/** Let time pass, perhaps reading when it is due: each read shows the same. */
	void pass(long millis, boolean reading) {
		for (long left = millis; left > 0; left -= 100) {
			this.now = this.now.plus(Duration.ofMillis(Math.min(100, left)));
			assertPunctual();
			if (reading) {
				readWhatIsDue();
			}
		}
	}

	private void readWhatIsDue() {
		if (text(due()).equals("read")) {
			on(ElectionEvent.read(this.stored, this.now, this.pushes));
		}
	}

	// What is expected

	@Nullable Command due() {
		Due next = next(this.now);
		return (next != null && this.now.isDue(next.at())) ? next.command() : null;
	}

	private String next() {
		Due next = next(this.now);
		return (next == null) ? "nothing"
				: text(next.command()) + " in " + Duration.ofNanos(next.at() - this.now.nanos()).toMillis();
	}

	private @Nullable Due next(Moment time) {
		return this.protocol.next(this.state, this.holder, time);
	}

	private long in(String millis) {
		return this.now.plus(Duration.ofMillis(Long.parseLong(millis))).nanos();
	}

	/** Check that the command is due then, and that only reads are due before. */
	private void assertAfter(long millis, String command) {
		readWhatIsDue();
		assertThat(text(due())).isEqualTo("nothing");
		pass(millis - 1, true);
		assertThat(text(due())).as("early").isEqualTo("nothing");
		pass(1, true);
		assertThat(text(due())).isEqualTo(command);
	}

	/** Check that the term was lost at this very moment. */
	private void assertLost(LossReason reason, boolean drainTimedOut) {
		assertThat(this.state.term().isLost()).isTrue();
		assertThat(this.state.term().loss()).isEqualTo(new Loss(reason, drainTimedOut, this.now));
	}

	private String phase() {
		for (Phase phase : Phase.values()) {
			if (this.state.isIn(phase)) {
				return phase.name();
			}
		}
		return "NONE";
	}

	private boolean is(String what) {
		return switch (what) {
			case "over" -> this.state.isOver();
			case "doubtful" -> this.state.doubt() != null;
			case "damaged" -> this.state.isDamaged();
			case "held elsewhere" -> this.protocol.isHeldElsewhere(this.state, this.holder, this.now);
			case "going along" -> this.protocol.mayGoAlong(next(this.now), this.state, this.now);
			default -> throw new IllegalArgumentException(what);
		};
	}

	void assertIgnores(ElectionEvent... events) {
		for (ElectionEvent event : events) {
			assertThat(this.protocol.on(this.state, event, this.now)).as("after %s", event).isEqualTo(this.state);
		}
	}

	/** Check that commands and timed changes come exactly when they were announced. */
	private void assertPunctual() {
		boolean changes = !this.protocol.on(this.state, ElectionEvent.elapsed(), this.now).equals(this.state);
		assertThat(this.now.isDue(this.protocol.deadlineAt(this.state, this.now))).isEqualTo(changes);
		Due next = next(this.now);
		if (next == null) {
			assertThat(next(this.now.plus(TTL.multipliedBy(100)))).as("after %s", this.state).isNull();
		}
		else if (!this.now.isDue(next.at())) {
			assertThat(isDueAt(next.at() - 1)).as("early after %s", this.state).isFalse();
			assertThat(isDueAt(next.at())).as("late after %s", this.state).isTrue();
		}
	}

	private boolean isDueAt(long nanos) {
		Moment time = this.now.plus(Duration.ofNanos(nanos - this.now.nanos()));
		Due then = next(time);
		return then != null && time.isDue(then.at());
	}

	private String text(@Nullable Command command) {
		if (command instanceof Command.Take take) {
			assertThat(take.expected()).isEqualTo(this.stored);
			return "take " + take.term();
		}
		if (command instanceof Command.Release release) {
			Lease lease = release.expected();
			String successor = (release.successor() != null) ? " > " + release.successor() : "";
			return "release %d.%d%s".formatted(lease.term(), lease.revision(), successor);
		}
		if (command instanceof Command.Create create) {
			return "create " + create.term();
		}
		if (command instanceof Command.Bury bury) {
			assertThat(bury.tombstone()).isEqualTo(this.stored.tombstone());
			return "bury";
		}
		if (command instanceof Command.Expire expire) {
			assertThat(expire.silent()).isEqualTo(this.holder.session());
			return "expire";
		}
		return (command != null) ? "read" : "nothing";
	}

	private Lease store(String text) {
		this.stored = lease(text);
		return this.stored;
	}

	static Lease lease(String text) {
		Matcher parts = LEASE.matcher(text);
		assertThat(parts.matches()).as(text).isTrue();
		String name = parts.group(1);
		boolean vacant = !Character.isLetter(name.charAt(0));
		long term = Long.parseLong(parts.group(3));
		Duration ttl = (parts.group(5) != null) ? Duration.ofMillis(Long.parseLong(parts.group(5))) : TTL;
		HandoverRequest request = (parts.group(7) != null) ? new HandoverRequest(Long.parseLong(parts.group(7)),
				parts.group(8).equals("-") ? null : parts.group(8), "other") : null;
		long session = (parts.group(2) != null) ? Long.parseLong(parts.group(2)) : SESSION;
		return new Lease("jobs", vacant ? null : name, vacant ? 0 : session, term, Long.parseLong(parts.group(4)), ttl,
				null, name.startsWith(">") ? name.substring(1) : null, request, parts.group(6) != null);
	}

}
