package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LineFlaw;
import io.github.leaderelection.store.Lease;

/**
 * A bad day for a few processes that use locks. After the storm, every waiter in line,
 * and each that comes later, gets its lock, and then nothing is left.
 */
final class LockSimulation extends Simulation {

	/** The longest time for which a lock is usually held. */
	static final Duration USE = Duration.ofMillis(20);

	/** The longest time until the next waiter holds a lock, when all is well. */
	private static final Duration HANDOVER = Duration.ofMillis(250);

	private final Map<String, List<Holder>> holders = new HashMap<>();

	/** Locks that were lost and not closed, until their margin is over. */
	private final List<Holder> lost = new ArrayList<>();

	private final Map<String, Long> highest = new HashMap<>();

	private final LineFlaw broken;

	private boolean closingTime;

	private int grants;

	private LockSimulation(long seed, LineFlaw broken, boolean traced) {
		super(seed, Flaw.NONE, traced);
		this.broken = broken;
		mongo().onRelease(this::checkMargin);
		removeUnusedNowAndThen();
	}

	/** Return how the day went, and how many locks were acquired on it. */
	static Day run(long seed, LineFlaw broken) {
		return SimulationThread.call(() -> {
			LockSimulation day = new LockSimulation(seed, broken, false);
			Outcome outcome = day.live();
			if (outcome.violated() != null) {
				// Repeat the day, and record what led to the violation.
				outcome = new LockSimulation(seed, broken, true).live();
			}
			return new Day(outcome, day.grants);
		});
	}

	@Override
	Duration cooldown(ElectionSettings defaults) {
		return Duration.ZERO;
	}

	@Override
	SimulatedProcess create(String id, ElectionSettings settings, SimulatedClock clock) {
		return new LockingProcess(this, id, settings, clock, this.broken);
	}

	@Override
	void befall(Fault fault, SimulatedProcess process) {
		switch (fault) {
			// These do not happen to locks.
			case RESIGN, TRANSFER, STAND_ASIDE, LEAVE, REMOVE_LEASE -> {
			}
			default -> super.befall(fault, process);
		}
	}

	/** Remove leases now and then, with no grace: each free one counts as unused. */
	private void removeUnusedNowAndThen() {
		timeline().after(dice().upTo(Duration.ofSeconds(20)), () -> {
			if (isStormy()) {
				String name = dice().pick(elections());
				trace("somebody", () -> "removes '" + name + "' if it is free");
				mongo().removeUnused(name, this.broken != LineFlaw.REMOVES_WITHOUT_FLOOR);
				removeUnusedNowAndThen();
			}
		});
	}

	/** Return whether no user comes any more. */
	boolean isClosingTime() {
		return this.closingTime;
	}

	void violate(String how) {
		invariants().violate(Invariant.I4, how);
	}

	/** Check a lock that was just acquired. */
	void granted(LockingProcess process, HeldLock lock) {
		trace(process, () -> "grants " + lock);
		if (lock.isHeld()) {
			// Otherwise its term ended while its thread was held up, and it is of no use.
			this.grants++;
			checkMargin(process, lock.name());
			this.holders.computeIfAbsent(lock.name(), (name) -> new ArrayList<>()).add(new Holder(process, lock));
			long before = this.highest.getOrDefault(lock.name(), 0L);
			if (lock.term() <= before) {
				invariants().violate(Invariant.I2, "%s is granted after term %d".formatted(lock, before));
			}
			this.highest.put(lock.name(), Math.max(before, lock.term()));
		}
		checkHolders();
	}

	/** Check that no lock has two holders. */
	void checkHolders() {
		for (List<Holder> known : this.holders.values()) {
			known.removeIf((each) -> each.process.isCrashed() || (!each.process.isPaused() && isOver(each)));
			if (known.size() > 1) {
				List<Holder> held = known.stream()
					.filter((each) -> !each.process.isPaused() && each.lock.isHeld())
					.toList();
				if (held.size() > 1) {
					invariants().violate(Invariant.I1, "several hold a lock: " + held);
				}
			}
		}
	}

	private boolean isOver(Holder holder) {
		boolean over = holder.isOver();
		if (over && holder.lock.lossReason().equals(Optional.of(LossReason.EXPIRED))) {
			this.lost.add(holder);
		}
		return over;
	}

	/** Note that a lock is closed, whether it was lost or not. */
	void closes(HeldLock lock) {
		checkHolders();
		this.lost.removeIf((each) -> each.lock == lock);
	}

	private void checkMargin(Lease lease) {
		if (lease.holder() != null) {
			checkMargin(process(lease.holder()), lease.election());
		}
	}

	/** Check that nobody gets a lost lock during its margin: it may still be used. */
	private void checkMargin(SimulatedProcess process, String name) {
		this.lost.removeIf((each) -> each.marginEndsAt() <= timeline().now());
		this.lost.stream()
			.filter((each) -> each.process == process && each.lock.name().equals(name))
			.forEach((each) -> invariants().violate(Invariant.I5,
					"%s lets others have '%s' while the margin of %s goes on".formatted(process, name, each)));
	}

	private List<LockingProcess> alive() {
		return processes().stream().filter(SimulatedProcess::isAlive).map(LockingProcess.class::cast).toList();
	}

	@Override
	void checkRecovery() {
		checkLine();
		if (holds()) {
			checkNothingIsLeft("when everybody has gone");
		}
		if (holds()) {
			checkCrash();
		}
	}

	/** Check that all users in line get their lock once no others come. */
	private void checkLine() {
		this.closingTime = true;
		List<LockingProcess.User> waiting = alive().stream()
			.flatMap((process) -> process.users().stream())
			.filter(LockingProcess.User::isWaiting)
			.toList();
		pass(bound(waiting.size() + 1));
		alive().stream()
			.flatMap((process) -> process.users().stream())
			.filter(LockingProcess.User::isWaiting)
			.forEach((user) -> violate("%s still waits, after %d others at most".formatted(user, waiting.size())));
	}

	/**
	 * Return the longest time in which that many users hold a lock one after another, if
	 * no others come in between.
	 */
	private Duration bound(int number) {
		return USE.plus(HANDOVER).multipliedBy(number).plus(longestTtl().multipliedBy(3));
	}

	private void checkNothingIsLeft(String when) {
		pass(longestTtl().plusSeconds(3));
		alive().stream()
			.filter((process) -> !process.isIdle())
			.forEach((process) -> violate("%s keeps %s %s".formatted(process, process.elections().names(), when)));
	}

	/** Check that a waiter gets the lock of a crashed process when its TTL is over. */
	private void checkCrash() {
		String name = dice().pick(elections());
		List<LockingProcess> both = alive();
		LockingProcess holder = both.get(0);
		LockingProcess next = both.get(1);
		holder.run(() -> holder.users().get(0).joinForEver(name));
		// A crashed process may still hold it, if nobody has wanted it since.
		pass(bound(1));
		if (!holder.users().get(0).holds()) {
			violate("%s does not get a lock that nobody wants".formatted(holder.users().get(0)));
			return;
		}
		next.run(() -> next.users().get(0).join(name, true));
		int before = this.grants;
		trace(holder, () -> "crashes in the calm");
		holder.crash();
		pass(holder.settings()
			.ttl()
			.plus(next.settings().pollInterval())
			.multipliedBy(103)
			.dividedBy(100)
			.plus(HANDOVER));
		if (this.grants == before) {
			violate("%s does not get what %s held when it crashed".formatted(next.users().get(0), holder));
		}
		if (holds()) {
			checkNothingIsLeft("after a crash");
		}
	}

	/**
	 * How a day went.
	 *
	 * @param grants how many locks were acquired, and still held at that time
	 */
	record Day(Outcome outcome, int grants) {

	}

	/** A process that has a lock. */
	private final class Holder {

		private final LockingProcess process;

		private final HeldLock lock;

		/** The last time at which it was known to be held. */
		private long heldAt = timeline().now();

		Holder(LockingProcess process, HeldLock lock) {
			this.process = process;
			this.lock = lock;
		}

		boolean isOver() {
			boolean held = this.lock.isHeld();
			if (held) {
				this.heldAt = timeline().now();
			}
			return !held;
		}

		/** Return the earliest end of its margin; its clock may be 1 % fast. */
		long marginEndsAt() {
			return this.heldAt + this.process.settings().safetyMargin().toNanos() / 100 * 98;
		}

		@Override
		public String toString() {
			return this.process + " in term " + this.lock.term();
		}

	}

}
