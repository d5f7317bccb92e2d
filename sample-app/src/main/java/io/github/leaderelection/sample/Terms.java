package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.spring.event.DefeatedEvent;
import io.github.leaderelection.spring.event.ElectedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Keeps a record of the terms of this instance: when one begins, when it ends, and now
 * and then, so that the record of a crashed leader ends about when it did.
 */
@Component
class Terms {

	private static final Logger logger = LoggerFactory.getLogger(Terms.class);

	private final LeaderElection elections;

	private final MongoOperations mongo;

	Terms(LeaderElection elections, MongoOperations mongo) {
		this.elections = elections;
		this.mongo = mongo;
	}

	@EventListener
	void onElected(ElectedEvent event) {
		record(event.getLeadership());
	}

	@EventListener
	void onDefeated(DefeatedEvent event) {
		record(event.getLeadership());
	}

	@Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
	void recordPresent() {
		this.elections.elections().forEach((name) -> this.elections.leadership(name).ifPresent(this::record));
	}

	private void record(Leadership leadership) {
		Instant now = Instant.now();
		Update update = new Update().setOnInsert("election", leadership.election())
			.setOnInsert("number", leadership.term())
			.setOnInsert("candidate", leadership.candidateId())
			.setOnInsert("startedAt", now)
			.max("heldUntil", now);
		leadership.lossReason().ifPresent((reason) -> update.set("end", reason));
		try {
			String id = leadership.election() + " " + leadership.term();
			this.mongo.upsert(Query.query(Criteria.where("id").is(id)), update, Term.class);
		}
		catch (DataAccessException ex) {
			logger.debug("Term {} is not recorded, since MongoDB does not answer", leadership.term(), ex);
		}
	}

}
