package io.github.leaderelection.job;

import io.github.leaderelection.JobRuns.Result;
import org.jspecify.annotations.Nullable;

/**
 * What has become of the attempt to begin a run.
 *
 * @param run the run that has begun, to be ended by the caller; {@code null} if none has
 * @param result {@link Result#RAN} for a run that has begun, otherwise why none has
 */
public record Begin(@Nullable RecordedRun run, Result result) {

	static Begin refused(Result result) {
		return new Begin(null, result);
	}

}
