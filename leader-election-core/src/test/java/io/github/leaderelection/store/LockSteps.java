package io.github.leaderelection.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * The steps by which {@link RecordLeaseStore} keeps locks, each for itself, in an order
 * that follows from a seed. A change may be made late, more than once or never, also when
 * its sender has forgotten it; only an insert is made once at most. Reads show what was
 * stored some time ago. {@code docs/internals/spec/LockTerms.tla} says the same of one
 * lock.
 */
final class LockSteps {

	/** A rule that is broken. */
	enum Flaw {

		NONE, FLOOR_NOT_RAISED, REMOVES_FIRST, REMOVES_BY_NAME, INSERTS_TWICE, READS_FLOOR_FIRST, FIRST_REVISION_IS_ONE,
		BEGINS_AT_FLOOR, IGNORES_THE_FLOOR

	}

	private static final int STEPS = 300;

	private static final List<String> NAMES = List.of("one", "two");

	/** By how many changes a read may be behind. */
	private static final int BEHIND = 5;

	private final Random random;

	private final Flaw flaw;

	/** What was stored, in the order of changes. */
	private final List<Stored> history = new ArrayList<>(List.of(new Stored(Map.of(), -1)));

	/** Changes, and steps of those who remember something, that may be made now. */
	private final List<Runnable> pending = new ArrayList<>();

	/** Changes that may be made at any time, again and again. */
	private final List<Runnable> late = new ArrayList<>();

	/** States of each lock that somebody has seen, and may act upon. */
	private final Map<String, List<Seen>> seen = new HashMap<>();

	private final Map<String, Long> granted = new HashMap<>();

	private int lives;

	private int removals;

	private @Nullable String violation;

	LockSteps(long seed, Flaw flaw) {
		this.random = new Random(seed);
		this.flaw = flaw;
	}

	/**
	 * Run all steps.
	 * @return what was violated first, {@code null} if nothing was
	 */
	@Nullable String run() {
		for (int step = 0; step < STEPS && this.violation == null; step++) {
			if (!this.late.isEmpty() && this.random.nextInt(8) == 0) {
				this.late.get(this.random.nextInt(this.late.size())).run();
			}
			else if (!this.pending.isEmpty() && this.random.nextInt(3) > 0) {
				// Mostly what was sent last, so that much is done.
				int back = (this.random.nextInt(4) > 0) ? 1 : 1 + this.random.nextInt(this.pending.size());
				this.pending.remove(this.pending.size() - back).run();
			}
			else {
				begin(NAMES.get(this.random.nextInt(NAMES.size())));
			}
		}
		return this.violation;
	}

	/** Return how many leases were removed. */
	int removals() {
		return this.removals;
	}

	private void begin(String name) {
		switch (this.random.nextInt(6)) {
			case 0 -> insert(name);
			case 1, 2 -> read(name);
			case 3 -> take(name);
			case 4 -> release(name);
			default -> removeUnused();
		}
	}

	private void insert(String name) {
		int life = ++this.lives;
		// Far apart, as random ones are.
		long revision = (this.flaw == Flaw.FIRST_REVISION_IS_ONE) ? 1 : life * 10_000L;
		long least = this.random.nextInt(3);
		send(() -> {
			if (now().docs().get(name) == null) {
				store(name, new Doc(life, true, false, least, revision));
			}
		}, this.flaw == Flaw.INSERTS_TWICE);
	}

	private void read(String name) {
		int at = this.history.size() - 1 - this.random.nextInt(Math.min(BEHIND, this.history.size()));
		Doc found = this.history.get(at).docs().get(name);
		if (found != null) {
			this.seen.computeIfAbsent(name, (key) -> new ArrayList<>()).add(new Seen(found, at));
		}
	}

	/** Take a lease, for the first time above a floor that is not read before it. */
	private void take(String name) {
		Seen seen = anySeen(name);
		if (seen != null) {
			Doc expected = seen.doc();
			long floor = (expected.fresh() && this.flaw != Flaw.IGNORES_THE_FLOOR) ? floor(seen.at()) : -1;
			long above = (this.flaw == Flaw.BEGINS_AT_FLOOR) ? floor : floor + 1;
			long term = Math.max(expected.term() + 1, above);
			send(() -> {
				Doc doc = now().docs().get(name);
				if (isAsExpected(doc, expected)) {
					meant(doc, expected, name);
					grant(name, term);
					store(name, new Doc(doc.life(), false, true, term, doc.revision() + 1));
				}
			}, true);
		}
	}

	private long floor(int seenAt) {
		int first = (this.flaw == Flaw.READS_FLOOR_FIRST) ? Math.max(0, seenAt - 10) : seenAt;
		return this.history.get(first + this.random.nextInt(this.history.size() - first)).floor();
	}

	/** Of a vacant lease, too. */
	private void release(String name) {
		Seen seen = anySeen(name);
		if (seen != null) {
			Doc expected = seen.doc();
			send(() -> {
				Doc doc = now().docs().get(name);
				if (isAsExpected(doc, expected)) {
					meant(doc, expected, name);
					store(name, new Doc(doc.life(), doc.fresh(), false, doc.term(), doc.revision() + 1));
				}
			}, true);
		}
	}

	private void removeUnused() {
		Map<String, Doc> unused = new LinkedHashMap<>();
		Stored shown = this.history
			.get(this.history.size() - 1 - this.random.nextInt(Math.min(BEHIND, this.history.size())));
		shown.docs().forEach((name, doc) -> {
			if (!doc.held()) {
				unused.put(name, doc);
			}
		});
		if (unused.isEmpty()) {
			return;
		}
		long highest = unused.values().stream().mapToLong(Doc::term).max().orElseThrow();
		Runnable remove = () -> unused.forEach((name, expected) -> send(() -> remove(name, expected), true));
		Runnable raise = () -> this.history.add(new Stored(now().docs(), Math.max(now().floor(), highest)));
		switch (this.flaw) {
			case FLOOR_NOT_RAISED -> remove.run();
			case REMOVES_FIRST -> {
				remove.run();
				send(raise, true);
			}
			// Only who has raised the floor goes on.
			default -> send(() -> {
				raise.run();
				this.pending.add(remove);
			}, true);
		}
	}

	private void remove(String name, Doc expected) {
		Doc doc = now().docs().get(name);
		boolean matches = (this.flaw == Flaw.REMOVES_BY_NAME) ? doc != null : isAsExpected(doc, expected);
		if (matches && !doc.held()) {
			meant(doc, expected, name);
			store(name, null);
			this.removals++;
		}
	}

	private static boolean isAsExpected(@Nullable Doc doc, Doc expected) {
		return doc != null && doc.revision() == expected.revision();
	}

	private @Nullable Seen anySeen(String name) {
		List<Seen> states = this.seen.getOrDefault(name, List.of());
		return states.isEmpty() ? null
				: states.get((this.random.nextBoolean()) ? states.size() - 1 : this.random.nextInt(states.size()));
	}

	/** The change is made some time, or not at all, or again. */
	private void send(Runnable change, boolean repeatable) {
		int fate = this.random.nextInt(10);
		if (fate > 0) {
			this.pending.add(change);
		}
		if (fate > 7 && repeatable) {
			this.late.add(change);
		}
	}

	private Stored now() {
		return this.history.get(this.history.size() - 1);
	}

	private void store(String name, @Nullable Doc doc) {
		Map<String, Doc> docs = new LinkedHashMap<>(now().docs());
		if (doc != null) {
			docs.put(name, doc);
		}
		else {
			docs.remove(name);
		}
		this.history.add(new Stored(docs, now().floor()));
	}

	private void grant(String name, long term) {
		Long before = this.granted.put(name, term);
		if (before != null && before >= term && this.violation == null) {
			this.violation = "term %d of '%s' was granted after %d".formatted(term, name, before);
		}
	}

	private void meant(Doc doc, Doc expected, String name) {
		if (doc.life() != expected.life() && this.violation == null) {
			this.violation = "what was meant for life %d of '%s' has changed life %d".formatted(expected.life(), name,
					doc.life());
		}
	}

	/** All that is stored: it does not change. */
	private record Stored(Map<String, Doc> docs, long floor) {

	}

	/**
	 * What is stored under one name.
	 *
	 * @param life which insert it comes from, which no lease shows
	 * @param fresh whether it was never taken
	 */
	private record Doc(int life, boolean fresh, boolean held, long term, long revision) {

	}

	/**
	 * What somebody has seen.
	 *
	 * @param at after how many changes
	 */
	private record Seen(Doc doc, int at) {

	}

}
