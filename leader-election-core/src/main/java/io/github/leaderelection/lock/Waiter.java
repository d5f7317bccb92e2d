package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.store.ReadableDuration;

/**
 * Somebody who stands in line for a lock. Completed once: with the lock, or by whoever
 * does not want it any more.
 */
final class Waiter extends CompletableFuture<HeldLock> {

	/** How long to wait for others who come first. */
	private final Duration patience;

	/** How long to wait at all. */
	private final Duration limit;

	private final Executor threads;

	/** Until when to wait for others; monotonic time. */
	private final long patientUntil;

	/** Whether it is known that others come first. */
	private volatile boolean behindOthers;

	/**
	 * Create a waiter.
	 * @param patience how long to wait while somebody else holds the lock
	 * @param decision how long to wait, whatever the patience, until it is known whether
	 * anybody does
	 * @param threads run what follows from the lock, or from a refusal
	 */
	Waiter(Duration patience, Duration decision, Executor threads) {
		this.patience = patience;
		this.limit = (patience.compareTo(decision) > 0) ? patience : decision;
		this.threads = threads;
		this.patientUntil = System.nanoTime() + TimeUnit.NANOSECONDS.convert(patience);
	}

	/**
	 * Note that others come first.
	 * @return whether it waits for them
	 */
	boolean fallBehind() {
		// Before it is known whether time is left: else the timer might have looked
		// already.
		this.behindOthers = true;
		return System.nanoTime() - this.patientUntil < 0;
	}

	boolean isBehindOthers() {
		return this.behindOthers;
	}

	/** Be refused when it was not served in time. */
	void limit(Consumer<Waiter> refusal) {
		after(this.limit, () -> refusal.accept(this));
		if (!this.patience.isZero()) {
			after(this.patience, () -> {
				if (this.behindOthers) {
					refusal.accept(this);
				}
			});
		}
	}

	/** Let something follow when it was neither served nor refused in time. */
	private void after(Duration time, Runnable action) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
		CompletableFuture<Void> unused = timer.thenAccept((over) -> {
			if (over) {
				action.run();
			}
		});
		// Before Java 21 one that is cancelled is kept until its time is over.
		CompletableFuture<HeldLock> unusedToo = whenComplete((lock, failure) -> timer.complete(false));
	}

	/** Return why it did not get the lock. */
	LockUnavailableException refusal(String name, Function<String, Optional<String>> leader) {
		return new LockUnavailableException(isBehindOthers()
				? "Lock '%s' could not be acquired within %s%s".formatted(name, ReadableDuration.exact(this.patience),
						leader.apply(name).map("; it is held by %s"::formatted).orElse(""))
				: "It could not be found out within %s whether lock '%s' is free"
					.formatted(ReadableDuration.exact(this.limit), name));
	}

	/** Give it the lock, or give the lock back if it is not wanted any more. */
	void grant(HeldLock lock) {
		execute(() -> {
			if (!complete(lock) && (isCompletedExceptionally() || !lock.equals(getNow(null)))) {
				lock.close();
			}
		});
	}

	/** Let it know that it does not get the lock. */
	void refuse(Throwable reason) {
		execute(() -> completeExceptionally(reason));
	}

	/** Without a thread for it somebody must do it all the same. */
	private void execute(Runnable task) {
		try {
			this.threads.execute(task);
		}
		catch (Throwable ex) {
			task.run();
		}
	}

	/** Want the lock no more. It may have been its turn in this very moment. */
	void withdraw() {
		if (!cancel(false)) {
			CompletableFuture<Void> unused = thenAccept(HeldLock::close);
		}
	}

}
