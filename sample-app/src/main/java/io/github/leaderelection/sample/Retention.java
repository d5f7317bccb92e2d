package io.github.leaderelection.sample;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.index.Index;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Makes MongoDB remove old records. The indexes are ensured once a minute rather than at
 * startup, when MongoDB may be unavailable or busy.
 */
@Component
class Retention {

	private static final Logger logger = LoggerFactory.getLogger(Retention.class);

	private static final Duration RETENTION = Duration.ofHours(1);

	private static final Map<Class<?>, String> TIMES = Map.of(Instance.class, "seenAt", Term.class, "heldUntil",
			Run.class, "startedAt", HandoverRequest.class, "askedAt");

	private final MongoOperations mongo;

	Retention(MongoOperations mongo) {
		this.mongo = mongo;
	}

	@Scheduled(initialDelay = 1, fixedDelay = 1, timeUnit = TimeUnit.MINUTES)
	void ensureIndexes() {
		TIMES.forEach(this::ensureIndex);
	}

	private void ensureIndex(Class<?> type, String time) {
		try {
			this.mongo.indexOps(type).createIndex(new Index(time, Sort.Direction.ASC).expire(RETENTION));
		}
		catch (DataAccessException ex) {
			logger.debug("The index of {} is left to the next time", type.getSimpleName(), ex);
		}
	}

}
