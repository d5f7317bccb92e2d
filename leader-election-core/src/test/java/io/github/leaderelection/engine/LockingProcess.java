package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LineFlaw;
import io.github.leaderelection.lock.SimulatedLocks;

/**
 * A process of a simulation that uses locks: each of its users wants one of them now and
 * then, waits or only tries, gives up or holds it for a while.
 */
final class LockingProcess extends SimulatedProcess {

	private final List<User> users = new ArrayList<>();

	private final LockSimulation simulation;

	private final SimulatedLocks locks;

	LockingProcess(LockSimulation simulation, String id, ElectionSettings settings, SimulatedClock clock,
			LineFlaw flaw) {
		super(simulation, id, settings, clock, Flaw.NONE, true);
		this.simulation = simulation;
		this.locks = new SimulatedLocks((candidate) -> elections().register(candidate),
				(candidate) -> elections().unregister(candidate), this::enter,
				(flaw == LineFlaw.GIVES_UP_ONCE) ? (term) -> elections().resign(term.election(), null)
						: (term) -> elections().giveUp((Term) term),
				this::afterMargin, this::startThread, flaw);
	}

	private GatedCall enter(String election) {
		Term term = term(election);
		return (term != null) ? term.enter(false) : null;
	}

	private void afterMargin(Runnable action) {
		this.simulation.timeline().after(clock().trueNanos(settings().safetyMargin().toNanos()), () -> run(action));
	}

	@Override
	void start(List<String> names) {
		super.start(List.of());
		for (int i = this.simulation.dice().between(1, 4); i > 0; i--) {
			User user = new User();
			this.users.add(user);
			user.thinkAndCome();
		}
	}

	@Override
	void check() {
		this.simulation.checkHolders();
	}

	@Override
	void close() {
		attempt(this.locks::abandon);
		super.close();
	}

	/** Return whether nothing is kept for names that nobody uses. */
	boolean isIdle() {
		return this.locks.isIdle() && elections().names().isEmpty();
	}

	List<User> users() {
		return this.users;
	}

	/** A user who wants a lock now and then. */
	final class User {

		private String name;

		private CompletableFuture<HeldLock> waiting;

		private HeldLock held;

		private boolean patient;

		/** Whether the user never closes its lock. */
		private boolean keeps;

		/** Wait in line, and keep the lock forever. */
		void joinForEver(String wanted) {
			this.keeps = true;
			join(wanted, true);
		}

		boolean isWaiting() {
			return this.waiting != null && this.patient;
		}

		boolean holds() {
			return this.held != null && this.held.isHeld();
		}

		private void thinkAndCome() {
			Duration thought = LockingProcess.this.simulation.isStormy() ? settings().ttl().multipliedBy(2)
					: Duration.ofSeconds(20);
			LockingProcess.this.simulation.timeline()
				.after(LockingProcess.this.simulation.dice().upTo(thought), () -> run(this::come));
		}

		private void come() {
			if (!isAlive() || this.waiting != null || this.held != null || isClosing()
					|| LockingProcess.this.simulation.isClosingTime()) {
				return;
			}
			join(LockingProcess.this.simulation.dice().pick(LockingProcess.this.simulation.elections()),
					!LockingProcess.this.simulation.dice().onceIn(4));
		}

		/** Wait in line, or come again later if that fails. */
		void join(String wanted, boolean patiently) {
			this.name = wanted;
			this.patient = patiently;
			CompletableFuture<HeldLock> joined;
			try {
				joined = LockingProcess.this.locks.join(wanted, patiently);
			}
			catch (RuntimeException | Error ex) {
				thinkAndCome();
				throw ex;
			}
			this.waiting = joined;
			joined.whenComplete((lock, failure) -> served(lock));
			if (this.waiting != null && LockingProcess.this.simulation.isStormy()
					&& LockingProcess.this.simulation.dice().onceIn(5)) {
				LockingProcess.this.simulation.timeline()
					.after(LockingProcess.this.simulation.dice().upTo(settings().ttl()),
							() -> run(() -> joined.cancel(false)));
			}
		}

		private void served(HeldLock lock) {
			this.waiting = null;
			this.held = lock;
			if (lock == null) {
				thinkAndCome();
				return;
			}
			LockingProcess.this.simulation.granted(LockingProcess.this, lock);
			if (this.keeps) {
				return;
			}
			boolean slow = LockingProcess.this.simulation.isStormy() && LockingProcess.this.simulation.dice().onceIn(5);
			long time = LockingProcess.this.simulation.dice()
				.upTo(slow ? settings().ttl().multipliedBy(2) : LockSimulation.USE);
			LockingProcess.this.simulation.timeline().after(time, () -> run(this::giveBack));
		}

		private void giveBack() {
			HeldLock last = this.held;
			this.held = null;
			LockingProcess.this.simulation.trace(LockingProcess.this, () -> "closes " + last);
			thinkAndCome();
			if (!last.isHeld() && LockingProcess.this.simulation.dice().onceIn(2)) {
				// A user that fails under a lost lock may never close it.
				return;
			}
			LockingProcess.this.simulation.closes(last);
			last.close();
			if (last.isHeld()) {
				LockingProcess.this.simulation.violate("%s is held though it was closed".formatted(last));
			}
		}

		@Override
		public String toString() {
			return "a user of '%s' in %s".formatted(this.name, LockingProcess.this);
		}

	}

}
