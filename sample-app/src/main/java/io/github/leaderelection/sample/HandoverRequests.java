package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.LeaderElection;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Only a leader can hand over. An instance that does not lead stores a request in the
 * database, which all instances can reach, and the leader takes it from there.
 */
@Component
class HandoverRequests {

	private static final Logger logger = LoggerFactory.getLogger(HandoverRequests.class);

	/** A new leader must not resign because of a request to its predecessor. */
	private static final Duration LIFETIME = Duration.ofSeconds(5);

	private final LeaderElection elections;

	private final MongoOperations mongo;

	private final StoredRecords records;

	HandoverRequests(LeaderElection elections, MongoOperations mongo, StoredRecords records) {
		this.elections = elections;
		this.mongo = mongo;
		this.records = records;
	}

	/**
	 * Hand over if this instance leads, or else ask the leader to.
	 * @param election the election
	 * @param successor the candidate that is to lead, {@code null} if any other may
	 * @throws DataAccessException if the leader can't be asked
	 */
	void submit(String election, @Nullable String successor) {
		if (!handOver(election, successor)) {
			this.mongo.insert(new HandoverRequest(null, election, successor, Instant.now()));
		}
	}

	@Scheduled(fixedDelay = 250)
	void serve() {
		List<String> led = this.elections.elections().stream().filter(this.elections::isLeader).toList();
		if (led.isEmpty()) {
			return;
		}
		try {
			Instant now = Instant.now();
			Query query = Query.query(
					Criteria.where("election").in(led).and("askedAt").gt(now.minus(LIFETIME)).lt(now.plus(LIFETIME)));
			Document removed = this.mongo.findAndRemove(query, Document.class,
					this.mongo.getCollectionName(HandoverRequest.class));
			if (removed != null) {
				this.records.read(HandoverRequest.class, removed)
					.ifPresent((request) -> handOver(request.election(), request.successor()));
			}
		}
		catch (DataAccessException ex) {
			logger.debug("Requests are not read, since MongoDB does not answer", ex);
		}
	}

	private boolean handOver(String election, @Nullable String successor) {
		if (successor == null) {
			return this.elections.resign(election);
		}
		// A transfer to this instance is complete if it leads already.
		return successor.equals(this.elections.candidateId()) ? this.elections.isLeader(election)
				: this.elections.transfer(election, successor);
	}

}
