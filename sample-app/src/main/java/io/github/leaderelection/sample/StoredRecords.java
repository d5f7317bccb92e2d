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
 * Reads the records of the instances, each document on its own: others may write to the
 * database too, and a document that can't be read is skipped instead of emptying the
 * page. This is logged once for each collection.
 */
@Component
class StoredRecords {

	private static final Logger logger = LoggerFactory.getLogger(StoredRecords.class);

	/** Our own have a few hundred bytes. */
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
	 * Read the latest records.
	 * @param type the type of the records
	 * @param time the field with the time by which they are chosen
	 * @param from the time after which they are of interest
	 * @return the readable records, oldest first by their start
	 */
	<T> List<T> since(Class<T> type, String time, Instant from) {
		// A record dated far ahead would be shown for ever.
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
	 * Convert one document.
	 * @param type the type of the record
	 * @param document the document
	 * @return the record, empty if the document can't be converted
	 */
	<T> Optional<T> read(Class<T> type, Document document) {
		try {
			return Optional.of(this.mongo.getConverter().read(type, document));
		}
		catch (RuntimeException ex) {
			if (this.reported.add(type)) {
				// Leave out the content, which may be anything.
				logger.warn(
						"Skipped a document in '{}' that this application can't read; others like it will be skipped"
								+ " without a warning: {}",
						this.mongo.getCollectionName(type), ex.getClass().getSimpleName());
			}
			return Optional.empty();
		}
	}

}
