package io.github.leaderelection.spring.bound;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.BoundCandidate;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus.State;
import io.github.leaderelection.engine.EngineThread;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Starts a component when this process is elected, and stops it when leadership ends. A
 * start that fails is retried while this process leads. A stop that fails is retried
 * until the component no longer runs, so that the lease is not released before that.
 */
final class BoundComponent implements BoundCandidate {

	/** The number of failed starts in a row after which this process may resign. */
	static final int ATTEMPTS = 3;

	private static final Logger logger = LoggerFactory.getLogger(BoundComponent.class);

	private static final Pattern WORD = Pattern.compile("\\S++");

	private final ComponentBinding binding;

	private final boolean resigning;

	private final BackOff backOff;

	/** Open when the context has started the beans that it starts itself. */
	private final CountDownLatch startable;

	/** Held while the component is started or stopped. */
	private final ReentrantLock lock = new ReentrantLock();

	private volatile State state = State.STOPPED;

	private volatile Trouble trouble = Trouble.NONE;

	private volatile @Nullable Leadership leadership;

	private volatile boolean abandoned;

	/** Whether it was started but does not run yet. Guarded by the lock. */
	private boolean comingUp;

	BoundComponent(ComponentBinding binding, boolean resigning, BackOff backOff, CountDownLatch startable) {
		this.binding = binding;
		this.resigning = resigning;
		this.backOff = backOff;
		this.startable = startable;
	}

	@Override
	public String election() {
		return this.binding.election();
	}

	@Override
	public void onElected(Leadership elected) throws InterruptedException {
		this.leadership = elected;
		this.trouble = Trouble.NONE;
		// The context must go first: it does not start a registry, and with it the other
		// containers, if one of its containers runs already.
		this.startable.await();
		BackOffExecution pauses = this.backOff.start();
		int attempts = 0;
		while (!elected.isEnding() && !start(elected)) {
			attempts++;
			if (this.resigning && attempts == ATTEMPTS) {
				// Resign: another instance may be able to start it.
				throw new IllegalStateException("Component '%s' has not started in %d attempts: %s"
					.formatted(this.binding.name(), attempts, this.trouble.lastFailure()));
			}
			Thread.sleep(pauses.nextBackOff());
		}
		if (this.abandoned) {
			// The engine may have closed meanwhile, and then does not report the end.
			onDefeated(elected);
		}
	}

	@Override
	public void onDefeated(Leadership defeated) {
		this.leadership = null;
		this.lock.lock();
		try {
			stopForGood(defeated);
		}
		finally {
			this.state = State.STOPPED;
			this.lock.unlock();
		}
	}

	private boolean start(Leadership elected) {
		this.lock.lock();
		try {
			this.state = State.STARTING;
			this.binding.component().start();
			// Some components run only once they have connected, in the background.
			this.comingUp = !isRunning();
			this.state = State.RUNNING;
		}
		catch (Throwable ex) {
			if (!elected.isEnding()) {
				stopRemains(elected, ex);
			}
			if (elected.isEnding()) {
				// Most likely interrupted; onDefeated stops what is left of it.
				this.comingUp = true;
				return false;
			}
			failed(ex);
			if (this.trouble.failures() == 1) {
				about(elected, logger.atError().setCause(ex)).log(
						"Component '{}' failed to start under '{}', term {}; it runs nowhere; retrying",
						this.binding.name(), elected.election(), elected.term());
			}
			return false;
		}
		finally {
			this.lock.unlock();
		}
		int failures = this.trouble.failures();
		this.trouble = Trouble.NONE;
		if (failures > 0) {
			logger.info("Component '{}' has started, after {} failures", this.binding.name(), failures);
		}
		return true;
	}

	/** Stop a component that may have started in part, even if it is not running. */
	private void stopRemains(Leadership elected, Throwable failure) {
		try {
			// Wait no longer than the term: at its end the component is stopped once
			// more.
			stop(elected::isEnding);
		}
		catch (Throwable ex) {
			if (ex != failure) {
				failure.addSuppressed(ex);
			}
		}
	}

	private void stopForGood(Leadership defeated) {
		BackOffExecution pauses = this.backOff.start();
		int attempts = 0;
		// At least once: a child context that closes does not wait for a start in
		// progress.
		while ((this.comingUp || isRunning()) && (attempts == 0 || !this.abandoned)) {
			this.state = State.STOPPING;
			this.comingUp = false;
			attempts++;
			try {
				stop(() -> false);
				this.trouble = Trouble.NONE;
				return;
			}
			catch (Throwable ex) {
				failed(ex);
				if (attempts == 1) {
					about(defeated, logger.atError().setCause(ex)).log(
							"Component '{}' failed to stop under '{}', term {}; retrying. After the drain timeout and a TTL it may run on another instance too",
							this.binding.name(), defeated.election(), defeated.term());
				}
			}
			if (isRunning()) {
				EngineThread.await(new CompletableFuture<>(), Duration.ofMillis(pauses.nextBackOff()));
			}
		}
	}

	/**
	 * Stop the component, and wait until its work in progress has ended.
	 * @param over returns {@code true} to end the wait
	 */
	private void stop(BooleanSupplier over) {
		if (this.binding.component() instanceof SmartLifecycle component && isRunning()) {
			CompletableFuture<Void> stopped = new CompletableFuture<>();
			component.stop(() -> stopped.complete(null));
			while (!this.abandoned && !over.getAsBoolean() && !EngineThread.await(stopped, Duration.ofSeconds(1))) {
				// Without a limit: the engine limits how long it waits for this.
			}
		}
		else {
			this.binding.component().stop();
		}
	}

	private void failed(Throwable failure) {
		this.trouble = new Trouble(this.trouble.failures() + 1, describe(failure));
		this.state = State.FAILED;
	}

	private static LoggingEventBuilder about(Leadership term, LoggingEventBuilder line) {
		return line.addKeyValue("election", term.election()).addKeyValue("term", term.term());
	}

	/**
	 * Stop the component if other code has started it while this process does not lead,
	 * and start it if other code has stopped it while this process leads.
	 * @return whether it was running but should not have been
	 */
	boolean reconcile() {
		if (!this.lock.tryLock()) {
			// It is being started or stopped for a change of leader.
			return false;
		}
		try {
			Leadership current = this.leadership;
			boolean running = isRunning();
			// A component that its context has started may still be coming up.
			if (this.state == State.STOPPED && (running || this.startable.getCount() == 0)) {
				// Without a callback: nothing would limit the wait for it here.
				this.binding.component().stop();
				return running;
			}
			if (this.state == State.RUNNING && !running && current != null && !current.isEnding()) {
				this.binding.component().stop();
				this.binding.component().start();
			}
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stop waiting: the application context has closed. */
	void abandon() {
		this.abandoned = true;
	}

	ComponentBinding binding() {
		return this.binding;
	}

	@Override
	public ComponentStatus status() {
		Trouble current = this.trouble;
		State known = this.state;
		// Other code may have stopped it, or it may have stopped by itself.
		State shown = (known == State.RUNNING && !isRunning()) ? State.STOPPED : known;
		return new ComponentStatus(this.binding.name(), shown, current.failures(), current.lastFailure());
	}

	/** Return whether the component runs; assume so if it can't tell. */
	private boolean isRunning() {
		try {
			return this.binding.component().isRunning();
		}
		catch (Throwable ex) {
			return true;
		}
	}

	private static String describe(Throwable failure) {
		try {
			return StoredText.printable(WORD.matcher(String.valueOf(failure))
				.replaceAll((word) -> Matcher.quoteReplacement(withoutCredentials(word.group()))));
		}
		catch (RuntimeException ex) {
			return failure.getClass().getName();
		}
	}

	private static String withoutCredentials(String word) {
		return word.contains("//") ? StoredText.masked(word) : word;
	}

	@Override
	public String toString() {
		return "component '" + this.binding.name() + "'";
	}

	/**
	 * The failures since it last worked.
	 */
	private record Trouble(int failures, @Nullable String lastFailure) {

		static final Trouble NONE = new Trouble(0, null);

	}

}
