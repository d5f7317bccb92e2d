package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.List;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the candidates: those that were announced last, and no more of them than can be
 * of use, for anybody can have written them. Says once that something was left out. A
 * server that is merely compatible may refuse to look at sizes; then it is asked for
 * plain documents for a while.
 */
final class CandidateQuery {

	private static final Logger logger = LoggerFactory.getLogger(CandidateQuery.class);

	/** How many candidates are read. */
	static final int MOST = 1000;

	/** How much of them. */
	private static final long MOST_BYTES = 8 * 1024 * 1024;

	private static final Bson LIMITED = Projections.fields(Projections.excludeId(),
			Projections.computed(SizeLimit.STORED, CandidateDocument.LIMIT.documentOrSize()));

	private static final Bson LATEST_FIRST = Sorts.descending(CandidateDocument.SEEN_AT);

	private final Fallback fallback = new Fallback("The server does not tell how large documents are");

	private final LeftOut leftOut = new LeftOut();

	private volatile boolean warned;

	/** Return what was left out when they were read last. */
	List<String> damaged() {
		return this.leftOut.present();
	}

	/**
	 * Find candidates.
	 * @throws LeaseStoreException if they could not be read
	 */
	List<CandidateRecord> find(MongoCall call) {
		return this.fallback.ask(() -> find(call, LIMITED), () -> find(call, CandidateDocument.PROJECTION));
	}

	private List<CandidateRecord> find(MongoCall call, Bson projection) {
		return call.run("read the candidates", "find", (collection) -> read(call,
				collection.find(RawBsonDocument.class).projection(projection).sort(LATEST_FIRST).limit(MOST + 1),
				projection == LIMITED));
	}

	private List<CandidateRecord> read(MongoCall call, FindIterable<RawBsonDocument> found, boolean limited) {
		List<CandidateRecord> candidates = new ArrayList<>();
		List<String> damaged = new ArrayList<>();
		long bytes = 0;
		int left = 0;
		try (MongoCursor<RawBsonDocument> cursor = found.cursor()) {
			while (cursor.hasNext() && bytes <= MOST_BYTES && candidates.size() < MOST) {
				RawBsonDocument answer = cursor.next();
				StoredDocument stored = limited ? StoredDocument.limited(answer)
						: StoredDocument.whole(answer, CandidateDocument.LIMIT);
				if (stored.document() == null) {
					left++;
				}
				else {
					bytes += stored.bytes();
					try {
						candidates.add(CandidateDocument.toCandidate(stored));
					}
					catch (DamagedDocumentException ex) {
						damaged.add(LeftOut.describe(stored, ex));
					}
				}
			}
			if (left > 0 || cursor.hasNext()) {
				warn(call);
			}
		}
		this.leftOut.found(call.collection(), damaged);
		return candidates;
	}

	private void warn(MongoCall call) {
		if (!this.warned) {
			this.warned = true;
			logger.warn(
					"Not all entries in '{}' are read: there are more than {}, or larger ones than {} bytes. "
							+ "Elections are not affected. Remove what no candidate has entered",
					call.collection(), MOST, CandidateDocument.LIMIT.bytes());
		}
	}

}
