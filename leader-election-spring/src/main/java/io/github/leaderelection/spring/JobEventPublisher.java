package io.github.leaderelection.spring;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.spring.event.LeaderElectionEvent;
import io.github.leaderelection.spring.event.MissedRunEvent;
import io.github.leaderelection.spring.event.UnfinishedRunEvent;
import io.github.leaderelection.job.JobKey;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Publishes unfinished and missed runs as Spring application events, in order, on threads
 * of its executor, so that listeners do not hold up jobs.
 */
public final class JobEventPublisher implements JobListener {

	private static final EngineLog log = EngineLog.of(JobEventPublisher.class);

	private final ConfigurableApplicationContext context;

	private final Executor executor;

	private CompletableFuture<Void> published = CompletableFuture.completedFuture(null);

	/**
	 * Create a publisher.
	 * @param context the context to publish to, while it is active
	 * @param executor runs each task on a thread of its own
	 */
	public JobEventPublisher(ConfigurableApplicationContext context, Executor executor) {
		this.context = context;
		this.executor = executor;
	}

	@Override
	public void onUnfinished(JobRun run, boolean again) {
		publish(new UnfinishedRunEvent(run, again));
	}

	@Override
	public void onMissed(JobKey key, Instant last, int number) {
		publish(new MissedRunEvent(key.election(), key.job(), last, number));
	}

	private synchronized void publish(LeaderElectionEvent event) {
		this.published = this.published.exceptionally((ex) -> null)
			.thenRunAsync(() -> publishNow(event), this.executor);
	}

	private void publishNow(LeaderElectionEvent event) {
		try {
			if (this.context.isActive()) {
				this.context.publishEvent(event);
			}
		}
		catch (Throwable ex) {
			log.tell(ex, (logger, cause) -> logger
				.error("A listener of {} failed; listeners after it did not get the event", event, cause));
		}
	}

}
