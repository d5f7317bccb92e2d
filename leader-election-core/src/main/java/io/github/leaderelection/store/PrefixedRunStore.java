package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import io.github.leaderelection.JobRun;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunStore} that puts a prefix before the name of each election, and keeps its
 * records in another. Whoever uses it knows the names without the prefix, and sees no
 * other records.
 */
public final class PrefixedRunStore implements RunStore {

	private final String prefix;

	private final RunStore delegate;

	private PrefixedRunStore(String prefix, RunStore delegate) {
		this.prefix = prefix;
		this.delegate = delegate;
	}

	/**
	 * Return a store that puts a prefix before each name.
	 * @param prefix the prefix, empty for none
	 * @param delegate where the records are kept
	 * @return the store
	 */
	public static RunStore of(String prefix, RunStore delegate) {
		return prefix.isEmpty() ? delegate : new PrefixedRunStore(prefix, delegate);
	}

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		return inside(this.delegate.open(openings.stream()
			.map((each) -> new RunOpening(outside(each.key()), each.term(), each.timetable(), each.asOf()))
			.toList(), timeout));
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		JobRun run = renamed(start.run(), this.prefix + start.run().election());
		return inside(this.delegate.start(new RunStart(run, start.previous()), timeout));
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		return this.delegate.finish(new RunEnd(outside(end.key()), end.runId(), end.outcome()), timeout);
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		return this.delegate.cover(new RunCover(outside(cover.key()), cover.term(), cover.from(), cover.until(),
				cover.skipped(), cover.missed()), timeout);
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		return inside(this.delegate.find(keys.stream().map(this::outside).toList(), timeout));
	}

	private RunReading inside(RunReading reading) {
		return new RunReading(byKey(reading.records(), this::inside), byKey(reading.damaged(), Function.identity()));
	}

	private <T> Map<JobKey, T> byKey(Map<JobKey, T> outside, Function<T, T> value) {
		Map<JobKey, T> inside = new HashMap<>();
		outside.forEach((key, each) -> inside.put(inside(key), value.apply(each)));
		return inside;
	}

	private RunRecord inside(RunRecord record) {
		return new RunRecord(inside(record.key()), record.fence(), record.covered(), record.timetable(),
				record.skipped(), record.missed(), inside(record.last()));
	}

	private @Nullable JobRun inside(@Nullable JobRun run) {
		return (run != null) ? renamed(run, strip(run.election())) : null;
	}

	private static JobRun renamed(JobRun run, String election) {
		return new JobRun(run.id(), election, run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), run.startedAt(), run.finishedAt(), run.outcome());
	}

	private JobKey outside(JobKey key) {
		return new JobKey(this.prefix + key.election(), key.job());
	}

	private JobKey inside(JobKey key) {
		return new JobKey(strip(key.election()), key.job());
	}

	private String strip(String stored) {
		return stored.substring(this.prefix.length());
	}

}
