package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.BasicQuery;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.stereotype.Component;

/**
 * What the instances have stored, each document read by itself: others may write into the
 * database too, and one that can't be understood is left out instead of emptying the
 * page. The log tells of that once for each collection.
 */
@Component
class StoredRecords {

	private static final Logger logger = LoggerFactory.getLogger(StoredRecords.class);

	/** Ours have some hundred bytes. */
	private static final int LARGEST = 16 * 1024;

	/** More than a page can show. */
	private static final int MOST = 1000;

	/** Clocks may differ by this much. */
	private static final Duration AHEAD = Duration.ofMinutes(1);

	private final MongoOperations mongo;

	private final Set<Class<?>> reported = ConcurrentHashMap.newKeySet();

	StoredRecords(MongoOperations mongo) {
		this.mongo = mongo;
	}

	/**
	 * Read the latest.
	 * @param type what they are
	 * @param time the time by which they are chosen
	 * @param from the earliest that is of interest
	 * @return those that can be understood, by their start, oldest first
	 */
	<T> List<T> since(Class<T> type, String time, Instant from) {
		// What is dated far ahead would never be the past, and be shown for ever.
		Document recent = new Document(time,
				new Document("$gt", Date.from(from)).append("$lt", Date.from(Instant.now().plus(AHEAD))));
		Document small = new Document("$expr",
				new Document("$lt", List.of(new Document("$bsonSize", "$$ROOT"), LARGEST)));
		Query query = new BasicQuery(new Document("$and", List.of(recent, small)))
			.with(Sort.by(Sort.Direction.DESC, "startedAt"))
			.limit(MOST);
		List<T> records = new ArrayList<>();
		for (Document document : this.mongo.find(query, Document.class, this.mongo.getCollectionName(type))) {
			read(type, document).ifPresent(records::add);
		}
		Collections.reverse(records);
		return records;
	}

	/**
	 * Understand one document.
	 * @param type what it should be
	 * @param document the document
	 * @return the record, empty if that can't be
	 */
	<T> Optional<T> read(Class<T> type, Document document) {
		try {
			return Optional.of(this.mongo.getConverter().read(type, document));
		}
		catch (RuntimeException ex) {
			if (this.reported.add(type)) {
				// Without what it holds, which may be anything.
				logger.warn("A document in '{}' is not what this application writes, and is left out, as others like it"
						+ " will be: {}", this.mongo.getCollectionName(type), ex.getClass().getSimpleName());
			}
			return Optional.empty();
		}
	}

}
