package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Notifies all listeners, and then writes to the log. An exception in one listener does
 * not affect the others.
 */
final class JobListeners implements JobListener {

	private static final EngineLog log = EngineLog.of(JobListeners.class);

	/**
	 * The time between two log lines on missed fire times of a job: a job that falls
	 * behind misses some at each run.
	 */
	private static final Duration BETWEEN_LINES = Duration.ofHours(1);

	private final Map<JobKey, Missed> missed = new ConcurrentHashMap<>();

	private final List<JobListener> listeners;

	JobListeners(List<JobListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	@Override
	public void onRegistered(Job job) {
		each((listener) -> listener.onRegistered(job));
	}

	@Override
	public void onStarted(JobRun run, Duration late) {
		each((listener) -> listener.onStarted(run, late));
		if (run.cause() == Cause.CATCH_UP && run.attempt() == 1) {
			log.tell((logger) -> about(run, logger.atInfo()).log("Job '{}/{}' catches up {}, {} late", run.election(),
					run.job(), run.fireTime(), ReadableDuration.of(late)));
			return;
		}
		log.tell((logger) -> about(run, logger.atDebug()).log("Job '{}/{}' is started for {}, {} late, attempt {}",
				run.election(), run.job(), occasion(run), ReadableDuration.of(late), run.attempt()));
	}

	@Override
	public void onEnded(JobRun run, Duration duration) {
		each((listener) -> listener.onEnded(run, duration));
		log.tell((logger) -> about(run, logger.atDebug()).log("Job '{}/{}' has {} after {}", run.election(), run.job(),
				run.outcome().name().toLowerCase(Locale.ROOT), ReadableDuration.of(duration)));
	}

	@Override
	public void onRefused(JobKey key, Result result) {
		each((listener) -> listener.onRefused(key, result));
	}

	@Override
	public void onUnfinished(JobRun run, boolean again) {
		each((listener) -> listener.onUnfinished(run, again));
		log.tell((logger) -> about(run, logger.atWarn()).log(
				"Job '{}/{}' was started for {} by {} in term {}, attempt {}, and its end was never recorded. {}",
				run.election(), run.job(), occasion(run), StoredText.printable(run.candidateId()), run.term(),
				run.attempt(), again ? "It is attempted again"
						: "It is not attempted again: its attempts are used up, or a later fire time has come"));
	}

	@Override
	public void onMissed(JobKey key, Instant last, int number) {
		each((listener) -> listener.onMissed(key, last, number));
		Missed known = this.missed.get(key);
		int all = number + ((known != null) ? known.untold() : 0);
		if (known != null && last.isBefore(known.toldOf().plus(BETWEEN_LINES))) {
			this.missed.put(key, new Missed(known.toldOf(), all));
		}
		else {
			this.missed.put(key, new Missed(last, 0));
			log.tell((logger) -> about(key, logger.atWarn()).log("Job '{}': {} passed without a run, {}{}", key,
					fireTimes(all), (all > 1) ? "the last at " : "at ", last));
		}
	}

	@Override
	public void onSkipped(JobKey key, int number) {
		each((listener) -> listener.onSkipped(key, number));
		log.tell((logger) -> about(key, logger.atInfo()).log("Job '{}' has skipped {} during a run", key,
				fireTimes(number)));
	}

	private static LoggingEventBuilder about(JobRun run, LoggingEventBuilder line) {
		return about(new JobKey(run.election(), run.job()), line).addKeyValue("term", run.term());
	}

	private static LoggingEventBuilder about(JobKey key, LoggingEventBuilder line) {
		return line.addKeyValue("election", key.election()).addKeyValue("job", key.job());
	}

	private static String occasion(JobRun run) {
		return (run.fireTime() != null) ? run.fireTime().toString() : "a trigger";
	}

	private static String fireTimes(int number) {
		return (number == 1) ? "1 fire time" : number + " fire times";
	}

	/**
	 * The missed fire times of a job.
	 *
	 * @param toldOf the last fire time that was logged
	 * @param untold how many came after that and were not logged
	 */
	private record Missed(Instant toldOf, int untold) {

	}

	private void each(Consumer<JobListener> call) {
		for (JobListener listener : this.listeners) {
			try {
				call.accept(listener);
			}
			catch (Throwable ex) {
				log.tell(ex, (logger, cause) -> logger.warn("A job listener failed; runs go on", cause));
			}
		}
	}

}
