package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.store.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link LockService}.
 */
public final class LockServiceBuilder {

	/**
	 * For how long nobody must have used a lock by default before its lease is removed.
	 */
	public static final Duration DEFAULT_UNUSED_FOR = Duration.ofHours(1);

	private final LeaseStore store;

	private ElectionSettings settings = settings(ElectionSettings.DEFAULT_TTL);

	private Duration unusedFor = DEFAULT_UNUSED_FOR;

	private Executor callbackExecutor = threads();

	private @Nullable String application;

	LockServiceBuilder(LeaseStore store) {
		this.store = store;
	}

	/**
	 * Return the settings of locks with this time to live: those of elections, but who
	 * has given a lock back may acquire it again at once.
	 * @param ttl the time to live
	 * @return the settings
	 * @throws io.github.leaderelection.engine.InvalidSettingException if the time to live
	 * is out of range
	 */
	public static ElectionSettings settings(Duration ttl) {
		ElectionSettings usual = ElectionSettings.of(ttl);
		return new ElectionSettings(ttl, usual.renewInterval(), usual.safetyMargin(), usual.operationTimeout(),
				usual.pollInterval(), usual.drainTimeout(), Duration.ZERO);
	}

	/**
	 * Set the settings of all locks.
	 * @param newSettings the settings; those of the default time to live if not set
	 * @return this builder
	 */
	public LockServiceBuilder settings(ElectionSettings newSettings) {
		this.settings = newSettings;
		return this;
	}

	/**
	 * Set for how long nobody must have used a lock before its lease is removed. Terms
	 * don't start again for that.
	 * @param duration the duration, an hour if not set; positive
	 * @return this builder
	 */
	public LockServiceBuilder unusedFor(Duration duration) {
		this.unusedFor = duration;
		return this;
	}

	/**
	 * Set the name of the application, with which the ids of holders begin.
	 * @param name the name, {@code application} by default
	 * @return this builder
	 */
	public LockServiceBuilder application(String name) {
		this.application = name;
		return this;
	}

	/**
	 * Set what runs callbacks.
	 * @param executor runs each task on a thread of its own, never the caller's, and is
	 * free of any limit; makes daemon threads that end when they are idle if not set
	 * @return this builder
	 */
	public LockServiceBuilder callbackExecutor(Executor executor) {
		this.callbackExecutor = executor;
		return this;
	}

	/**
	 * Build locks. Nothing is started before the first one is wanted.
	 * @return the locks, to be closed after use
	 */
	public LockService build() {
		ElectionEngineBuilder builder = ElectionEngine.builder(this.store)
			.settings(this.settings)
			.callbackExecutor(this.callbackExecutor)
			.ephemeral();
		if (this.application != null) {
			builder.application(this.application);
		}
		UnusedLeases unused = new UnusedLeases(this.store, this.unusedFor, this.settings.operationTimeout());
		return new LockService(builder, this.settings, this.callbackExecutor, unused);
	}

	private static Executor threads() {
		AtomicLong number = new AtomicLong();
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, "leader-election-lock-" + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
	}

}
