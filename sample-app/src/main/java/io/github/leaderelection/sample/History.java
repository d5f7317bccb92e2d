package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;

/**
 * What all instances have recorded of late, oldest first.
 *
 * @param instances the instances
 * @param terms the terms that were held
 * @param runs the runs of jobs
 */
record History(List<Instance> instances, List<Term> terms, List<JobRun> runs) {

	/** As far back as the page looks. */
	private static final Duration SPAN = Duration.ofSeconds(100);

	static History read(MongoOperations mongo) {
		return new History(mongo.find(latest("startedAt", Instant.EPOCH), Instance.class),
				mongo.find(latest("heldUntil", Instant.now().minus(SPAN)), Term.class),
				mongo.find(latest("startedAt", Instant.now().minus(SPAN)), JobRun.class));
	}

	private static Query latest(String field, Instant since) {
		return Query.query(Criteria.where(field).gt(since)).with(Sort.by("startedAt"));
	}

}
