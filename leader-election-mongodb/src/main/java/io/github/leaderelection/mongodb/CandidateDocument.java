package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.CandidateRecord;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a stored candidate. Read leniently: it only informs, and what is of
 * another type than it should be is left out.
 */
final class CandidateDocument {

	static final String ID = "_id";

	static final String STARTED_AT = "startedAt";

	static final String SEEN_AT = "seenAt";

	private static final String APPLICATION = "application";

	private static final String HOST = "host";

	private static final String PID = "pid";

	private static final String VERSION = "version";

	private static final String ADDRESS = "address";

	private static final String ELECTIONS = "elections";

	private static final String PAUSED = "paused";

	/** A process that stands in a thousand elections of long names needs less. */
	static final SizeLimit LIMIT = new SizeLimit(256 * 1024);

	/** Just what this class reads. */
	private static final List<String> FIELDS = List.of(ID, APPLICATION, HOST, PID, VERSION, ADDRESS, ELECTIONS, PAUSED,
			STARTED_AT, SEEN_AT);

	static final Bson PROJECTION = Projections.include(FIELDS);

	private CandidateDocument() {
	}

	static Bson entry(CandidateRecord candidate) {
		return Updates.combine(Updates.set(APPLICATION, candidate.application()), Updates.set(HOST, candidate.host()),
				Updates.set(PID, candidate.pid()), Updates.set(VERSION, candidate.version()),
				Updates.set(ADDRESS, candidate.address()),
				Updates.set(ELECTIONS, List.copyOf(new TreeSet<>(candidate.elections()))),
				Updates.set(PAUSED, List.copyOf(new TreeSet<>(candidate.paused()))), Updates.currentDate(SEEN_AT));
	}

	static CandidateRecord toCandidate(StoredDocument stored) throws DamagedDocumentException {
		return stored.read(LIMIT, FIELDS, CandidateDocument::candidate);
	}

	private static CandidateRecord candidate(BsonDocument document) {
		return new CandidateRecord(textOrEmpty(document, ID), textOrEmpty(document, APPLICATION),
				textOrEmpty(document, HOST), pid(document.get(PID)), text(document.get(VERSION)),
				text(document.get(ADDRESS)), names(document, ELECTIONS), instant(document, STARTED_AT),
				instant(document, SEEN_AT), names(document, PAUSED));
	}

	/** Not every decimal number is one. */
	private static long pid(@Nullable BsonValue value) {
		return (value != null && value.isNumber() && !value.isDecimal128()) ? value.asNumber().longValue() : 0;
	}

	private static Set<String> names(BsonDocument document, String field) {
		Set<String> names = new LinkedHashSet<>();
		if (document.isArray(field)) {
			for (BsonValue value : document.getArray(field)) {
				String name = text(value);
				if (name != null) {
					names.add(name);
				}
			}
		}
		return names;
	}

	private static String textOrEmpty(BsonDocument document, String field) {
		String text = text(document.get(field));
		return (text != null) ? text : "";
	}

	private static @Nullable String text(@Nullable BsonValue value) {
		return (value != null && value.isString()) ? value.asString().getValue() : null;
	}

	private static @Nullable Instant instant(BsonDocument document, String field) {
		return document.isDateTime(field) ? Instant.ofEpochMilli(document.getDateTime(field).getValue()) : null;
	}

}
