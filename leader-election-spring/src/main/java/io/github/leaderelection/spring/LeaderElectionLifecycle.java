package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.SpringProperties;
import org.springframework.util.Assert;

/**
 * Starts an engine and its recorded jobs with the application context, and stops the
 * engine when the context closes. The jobs are closed by the container when it destroys
 * them. By then this process has handed over its elections and all runs have ended, but
 * the client of the database is still open.
 * <p>
 * Starts when all singletons exist, so that no event is published before its listeners
 * exist. Stops after the schedulers, so that gated jobs have been drained, and before the
 * client of the database closes, so that leases can be released.
 * <p>
 * It can't be started again after a stop, since a candidate id identifies one lifetime of
 * a process. Close the context and create a new one instead. For the same reason the
 * context can't be restored from a checkpoint. A context that is merely paused, as a test
 * context is while another one is in use, keeps taking part in elections.
 */
public class LeaderElectionLifecycle
		implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware, Ordered {

	/**
	 * The phase: below that of schedulers and executors, which is
	 * {@code Integer.MAX_VALUE / 2}.
	 */
	public static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final EngineLog log = EngineLog.of(LeaderElectionLifecycle.class);

	private final @Nullable ElectionEngine engine;

	private final ObjectProvider<Candidate> candidates;

	private final List<String> elections;

	private final GateMode mode;

	private final @Nullable RecordedJobs jobs;

	private @Nullable ApplicationContext context;

	private volatile boolean running;

	private @Nullable CompletableFuture<Void> stopped;

	/**
	 * Create a lifecycle.
	 * @param engine the engine, or {@code null} if a test has replaced it with a mock
	 * @param candidates the candidates to register, in this order
	 * @param elections further elections to stand in
	 * @param mode the mode of the gate: under {@link GateMode#SKIP} the engine is not
	 * started, and under {@link GateMode#RUN} the start waits until this process leads,
	 * for up to ten seconds
	 * @param jobs the recorded jobs to start, or {@code null} if there are none
	 */
	public LeaderElectionLifecycle(@Nullable ElectionEngine engine, ObjectProvider<Candidate> candidates,
			Collection<String> elections, GateMode mode, @Nullable RecordedJobs jobs) {
		this.engine = engine;
		this.candidates = candidates;
		this.elections = List.copyOf(elections);
		this.mode = mode;
		this.jobs = jobs;
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		if (this.engine != null) {
			start(this.engine);
		}
		if (this.jobs != null) {
			this.jobs.start();
		}
		if (this.engine != null && this.mode == GateMode.RUN) {
			awaitLeadership(this.engine);
		}
		this.running = true;
	}

	private void start(ElectionEngine present) {
		Assert.state(this.stopped == null, "Leader election has been stopped and can't be started again. "
				+ "Close the application context and create a new one");
		Assert.state(!"onRefresh".equalsIgnoreCase(SpringProperties.getProperty("spring.context.checkpoint")),
				"Leader election can't be part of a checkpoint, since all processes restored from it would be "
						+ "the same candidate. Remove spring.context.checkpoint, or set leader-election.enabled=false");
		this.elections.forEach(present::stand);
		this.candidates.orderedStream().forEach((candidate) -> register(candidate, present));
		if (this.mode != GateMode.SKIP) {
			present.start();
		}
	}

	/** Wait to lead all elections: takes milliseconds, without other candidates. */
	private static void awaitLeadership(ElectionEngine present) {
		long begin = System.nanoTime();
		try {
			while (!present.status().elections().stream().allMatch(LeaderElectionLifecycle::hasLed)) {
				if (System.nanoTime() - begin >= PATIENCE.toNanos()) {
					log.tell((logger) -> logger.warn(
							"Leader election is disabled, but this process does not lead all elections after {}: "
									+ "the application starts without waiting any longer",
							ReadableDuration.exact(PATIENCE)));
					return;
				}
				TimeUnit.MILLISECONDS.sleep(1);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Count an election as led even if a candidate has resigned or paused since. */
	private static boolean hasLed(ElectionStatus election) {
		return election.role() != Role.FOLLOWER || election.lastLoss() != null;
	}

	private static void register(Candidate candidate, ElectionEngine engine) {
		try {
			Assert.notNull(candidate.election(), "Its election is null. Return the name of an election");
			engine.register(candidate);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidCandidateException(candidate, ex);
		}
	}

	/**
	 * Tell running work that leadership is ending as soon as the context begins to close.
	 * {@link #stop} is called much later, after the schedulers have waited for the very
	 * work that should end. Leases are held until then, and gated calls are still let in,
	 * since requests keep arriving while a web server shuts down gracefully.
	 */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (this.engine != null && event.getApplicationContext() == this.context) {
			this.engine.prepareClose();
		}
	}

	/** Run before other listeners, which may take a long time. */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void stop() {
		closeEngine().join();
	}

	@Override
	public void stop(Runnable callback) {
		CompletableFuture<Void> closing = closeEngine();
		if (WorkScope.find(Object.class) != null) {
			// The context is closed from inside the work of a term, so this thread is
			// interrupted when the term ends. Wait here regardless of that, so that the
			// container does not close too early what other beans still need.
			closing.join();
			boolean unused = Thread.interrupted();
		}
		// Draining takes time: let other beans of this phase stop meanwhile.
		CompletableFuture<Void> unused = closing.thenRun(callback);
	}

	private CompletableFuture<Void> closeEngine() {
		ElectionEngine present = this.engine;
		if (present == null) {
			this.running = false;
			return CompletableFuture.completedFuture(null);
		}
		synchronized (this) {
			CompletableFuture<Void> closing = this.stopped;
			if (closing == null) {
				closing = CompletableFuture.runAsync(() -> close(present), LeaderElectionLifecycle::execute);
				this.stopped = closing;
			}
			return closing;
		}
	}

	private static void execute(Runnable task) {
		try {
			new Thread(task, "leader-election-shutdown").start();
		}
		catch (Throwable ex) {
			// No thread could be started: close in the current one.
			task.run();
		}
	}

	private void close(ElectionEngine present) {
		try {
			present.close();
		}
		catch (Throwable ex) {
			// The context must still be closed.
			log.tell(ex, (logger, cause) -> logger
				.error("Leader election failed to stop; leases still held will expire", cause));
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
