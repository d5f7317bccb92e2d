package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
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
 * Records the terms of this instance: when a term begins, when it ends, and each second
 * in between, so the record of a crashed leader ends at about the time of the crash.
 */
@Component
class Terms {

	private static final Logger logger = LoggerFactory.getLogger(Terms.class);

	private static final Set<LossReason> LOST = EnumSet.of(LossReason.EXPIRED, LossReason.TAKEN_OVER);

	private final LeaderElection elections;

	private final MongoOperations mongo;

	Terms(LeaderElection elections, MongoOperations mongo) {
		this.elections = elections;
		this.mongo = mongo;
	}

	@EventListener
	void onElected(ElectedEvent event) {
		recordHeld(event.leadership(), Instant.now());
	}

	@EventListener
	void onDefeated(DefeatedEvent event) {
		Leadership leadership = event.leadership();
		// A lost term ended before this event, and long before it if this process was
		// paused.
		leadership.lossReason()
			.filter(LOST::contains)
			.ifPresentOrElse((reason) -> recordEnd(leadership, reason), () -> recordHeld(leadership, Instant.now()));
	}

	@Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
	void recordPresent() {
		// Read before the leadership: this process may be paused in between.
		Instant now = Instant.now();
		this.elections.elections()
			.forEach((name) -> this.elections.leadership(name).ifPresent((leadership) -> recordHeld(leadership, now)));
	}

	private void recordHeld(Leadership leadership, Instant now) {
		Update update = new Update().setOnInsert("election", leadership.election())
			.setOnInsert("number", leadership.term())
			.setOnInsert("candidate", leadership.candidateId())
			.setOnInsert("startedAt", now)
			.max("heldUntil", now);
		leadership.lossReason().ifPresent((reason) -> update.set("end", reason));
		record(leadership, (term) -> this.mongo.upsert(term, update, Term.class));
	}

	private void recordEnd(Leadership leadership, LossReason reason) {
		record(leadership, (term) -> this.mongo.updateFirst(term, Update.update("end", reason), Term.class));
	}

	private static void record(Leadership leadership, Consumer<Query> write) {
		try {
			write.accept(Query.query(Criteria.where("id").is(leadership.election() + " " + leadership.term())));
		}
		catch (DataAccessException ex) {
			logger.debug("Term {} is not recorded, since MongoDB does not answer", leadership.term(), ex);
		}
	}

}
