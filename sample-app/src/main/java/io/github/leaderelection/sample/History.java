package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The recent records of all instances, oldest first.
 *
 * @param instances the instances
 * @param terms the terms that were held
 * @param runs the runs of jobs
 */
record History(List<Instance> instances, List<Term> terms, List<Run> runs) {

	/** How far back the page looks. */
	private static final Duration SPAN = Duration.ofSeconds(100);

	static History read(StoredRecords records) {
		Instant since = Instant.now().minus(SPAN);
		return new History(records.since(Instance.class, "seenAt", Instant.EPOCH),
				records.since(Term.class, "heldUntil", since), records.since(Run.class, "startedAt", since));
	}

}
