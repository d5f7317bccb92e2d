package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.store.ReadableDuration;

/**
 * A request that waits in line for a lock. It completes once: with the lock, or when it
 * is refused or canceled.
 */
final class Waiter extends CompletableFuture<HeldLock> {

	/** How long to wait while others come first. */
	private final Duration patience;

	/** How long to wait at most. */
	private final Duration limit;

	private final Executor threads;

	/** Until when to wait while others come first; monotonic time. */
	private final long patientUntil;

	/** Whether it is known that others come first. */
	private volatile boolean behindOthers;

	/**
	 * Create a waiter.
	 * @param patience how long to wait while the lock is held
	 * @param decision how long to wait, whatever the patience, until it is known whether
	 * the lock is free
	 * @param threads run the stages that depend on this future
	 */
	Waiter(Duration patience, Duration decision, Executor threads) {
		this.patience = patience;
		this.limit = (patience.compareTo(decision) > 0) ? patience : decision;
		this.threads = threads;
		this.patientUntil = System.nanoTime() + TimeUnit.NANOSECONDS.convert(patience);
	}

	/**
	 * Note that others come first.
	 * @return whether there is time left to wait for them
	 */
	boolean fallBehind() {
		// Set before looking at the time: otherwise the patience timer might miss it.
		this.behindOthers = true;
		return System.nanoTime() - this.patientUntil < 0;
	}

	boolean isBehindOthers() {
		return this.behindOthers;
	}

	/**
	 * Have this waiter refused if it does not get the lock in time.
	 * @param outageKnown after which time an outage of the store is known
	 * @param outage returns whether there is one
	 */
	void limit(Duration outageKnown, BooleanSupplier outage, Consumer<Waiter> refusal) {
		refuseAfter(this.limit, () -> true, refusal);
		refuseAfter(this.patience, this::isBehindOthers, refusal);
		refuseAfter((this.patience.compareTo(outageKnown) > 0) ? this.patience : outageKnown, outage, refusal);
	}

	private void refuseAfter(Duration time, BooleanSupplier condition, Consumer<Waiter> refusal) {
		after(time, () -> {
			if (condition.getAsBoolean()) {
				refusal.accept(this);
			}
		});
	}

	/** Run an action after a time, unless this waiter is completed before. */
	private void after(Duration time, Runnable action) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
		CompletableFuture<Void> unused = timer.thenAccept((over) -> {
			if (over) {
				action.run();
			}
		});
		// Before Java 21, a canceled timer is kept until its time is over.
		CompletableFuture<HeldLock> unusedToo = whenComplete((lock, failure) -> timer.complete(false));
	}

	/** Return an exception that says why the lock was not acquired. */
	LockUnavailableException refusal(String name, Function<String, Optional<String>> leader) {
		return new LockUnavailableException(isBehindOthers()
				? "Lock '%s' could not be acquired within %s%s".formatted(name, ReadableDuration.exact(this.patience),
						leader.apply(name).map("; it is held by %s"::formatted).orElse(""))
				: "Could not determine in time whether lock '%s' is free. Does the store answer?".formatted(name));
	}

	/** Complete with the lock, or release the lock if it is not wanted any more. */
	void grant(HeldLock lock) {
		execute(() -> {
			if (!complete(lock) && (isCompletedExceptionally() || !lock.equals(getNow(null)))) {
				lock.close();
			}
		});
	}

	/** Complete this waiter with the reason why it does not get the lock. */
	void refuse(Throwable reason) {
		execute(() -> completeExceptionally(reason));
	}

	/** Run the task on a thread for callbacks, or here if there is none. */
	private void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (Throwable ex) {
			task.run();
		}
	}

	/** Stop waiting. If the lock was granted at that very moment, release it. */
	void withdraw() {
		if (!cancel(false)) {
			CompletableFuture<Void> unused = thenAccept(HeldLock::close);
		}
	}

}
