package io.github.leaderelection.fence;

import java.util.Date;
import java.util.List;
import java.util.function.BooleanSupplier;

import com.mongodb.ReadPreference;
import io.github.leaderelection.Leadership;
import org.bson.BsonString;
import org.bson.Document;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.ReplaceOptions;
import org.springframework.data.mongodb.core.convert.QueryMapper;
import org.springframework.data.mongodb.core.query.BasicQuery;
import org.springframework.data.mongodb.core.query.BasicUpdate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.UpdateDefinition;

/**
 * Writes single documents in the name of a leadership, without a transaction. Each
 * document stores the term of its last writer, in the field {@code term} or another one.
 * A write under an earlier term is {@linkplain Outcome#FENCED_OFF fenced off}: MongoDB
 * compares the term and writes in one step, so it makes no difference how long the writer
 * was paused.
 * <p>
 * A document does not know a new term until the new leader has written it, so a leader is
 * protected from earlier leaders only in documents that it has itself written. A leader
 * that decides by what it reads should write first, if necessary with an empty update. If
 * several documents have to agree, use {@linkplain LeaderTransactions a transaction}. All
 * writers of a collection should use this class, and write in the name of the same
 * election.
 * <p>
 * A deleted document has no term: an earlier leader can insert or upsert it again. If
 * this matters, mark documents as deleted instead. Generated ids and bulk writes are not
 * supported: there would be no document to compare with, or some documents would be left
 * out unnoticed. An id that is a date, and a term that the mapping does not store as a
 * number, are refused with an {@link IllegalArgumentException}. What an entity declares
 * beyond its mapping, such as a version or a callback, is ignored. Inside a transaction,
 * an upsert or insert that is fenced off makes MongoDB abort the transaction.
 * <p>
 * Safe for use by any thread. Methods call the database, and throw what
 * {@link MongoOperations} throws.
 */
public final class FencedCollection {

	/**
	 * The default name of the field that holds the term.
	 */
	public static final String TERM = "term";

	private static final String ID = "_id";

	private static final String SET = "$set";

	/** Enough, unless other code keeps inserting and deleting the document. */
	private static final int ATTEMPTS = 10;

	private final MongoOperations mongo;

	private final Class<?> type;

	private final String collection;

	private final String field;

	private final QueryMapper mapper;

	/**
	 * Create an instance for the collection of an entity.
	 * @param mongo the operations to write with; their write concern should be majority,
	 * as MongoDB's default is
	 * @param type the type of the entity
	 */
	public FencedCollection(MongoOperations mongo, Class<?> type) {
		this(mongo, type, mongo.getCollectionName(type), TERM);
	}

	/**
	 * Create an instance for a collection of documents.
	 * @param mongo the operations to write with; their write concern should be majority,
	 * as MongoDB's default is
	 * @param collection the name of the collection
	 */
	public FencedCollection(MongoOperations mongo, String collection) {
		this(mongo, Document.class, collection, TERM);
	}

	private FencedCollection(MongoOperations mongo, Class<?> type, String collection, String field) {
		this.mongo = mongo;
		this.type = type;
		this.collection = collection;
		this.field = field;
		this.mapper = new QueryMapper(mongo.getConverter());
	}

	/**
	 * Return an instance for the same collection with another field for the term.
	 * @param newField the name of the field in the stored documents, or of the entity's
	 * property that is stored there; not a nested field
	 * @return the instance
	 * @throws IllegalArgumentException if the field can't hold the term
	 */
	public FencedCollection withTermIn(String newField) {
		if (newField.isBlank() || newField.equals(ID) || newField.startsWith("$") || newField.contains(".")) {
			throw new IllegalArgumentException(
					"'%s' can't hold the term. Name a field of the document itself, other than its id"
						.formatted(newField));
		}
		return new FencedCollection(this.mongo, this.type, this.collection, newField);
	}

	/**
	 * Update a document.
	 * @param leadership the leadership in whose name to write
	 * @param id the id of the document
	 * @param update the update, with update operators; an empty one only stores the term
	 * @return the outcome
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended
	 */
	public Outcome update(Leadership leadership, Object id, UpdateDefinition update) {
		UpdateDefinition fenced = noting(leadership, update);
		return write(leadership, id,
				() -> this.mongo.updateFirst(ours(leadership, id), fenced, this.type, this.collection)
					.getMatchedCount() > 0);
	}

	/**
	 * Update a document, or insert it if there is none. A document that does not match
	 * because of its term looks as if it were missing; the unique index on ids keeps it
	 * from being inserted again.
	 * @param leadership the leadership in whose name to write
	 * @param id the id of the document
	 * @param update the update, with update operators
	 * @return the outcome, {@link Outcome#APPLIED} or {@link Outcome#FENCED_OFF}
	 * @throws DuplicateKeyException if another document has a value that must be unique
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended
	 */
	public Outcome upsert(Leadership leadership, Object id, UpdateDefinition update) {
		leadership.requireHeld();
		UpdateDefinition fenced = noting(leadership, update);
		try {
			return upsertNoting(leadership, id, fenced);
		}
		catch (DuplicateKeyException ex) {
			// Not inserted: the document exists but did not match, or another thread was
			// first.
			Outcome outcome = update(leadership, id, update);
			// Deleted meanwhile, or another document has the duplicate value.
			return (outcome != Outcome.NOT_FOUND) ? outcome : upsertNoting(leadership, id, fenced);
		}
	}

	private Outcome upsertNoting(Leadership leadership, Object id, UpdateDefinition fenced) {
		this.mongo.upsert(ours(leadership, id), fenced, this.type, this.collection);
		return Outcome.APPLIED;
	}

	/**
	 * Replace a document.
	 * @param leadership the leadership in whose name to write
	 * @param replacement the entity or document, with its id
	 * @return the outcome
	 * @throws IllegalArgumentException if it has no id
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended
	 */
	public Outcome replace(Leadership leadership, Object replacement) {
		Document document = documentOf(leadership, replacement);
		Object id = idOf(document);
		Query ours = new BasicQuery(asDocument(map(ours(leadership, id).getQueryObject())));
		return write(leadership, id,
				() -> this.mongo.replace(ours, document, ReplaceOptions.replaceOptions(), this.collection)
					.getMatchedCount() > 0);
	}

	/**
	 * Insert a document.
	 * @param leadership the leadership in whose name to write
	 * @param inserted the entity or document, with its id, which must be the same for all
	 * leaders that would insert it
	 * @return the outcome, {@link Outcome#APPLIED} or {@link Outcome#FENCED_OFF}
	 * @throws IllegalArgumentException if it has no id
	 * @throws DuplicateKeyException if there is a document with this id that no later
	 * leader has written, or another one with a value that must be unique
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended
	 */
	public Outcome insert(Leadership leadership, Object inserted) {
		Document document = documentOf(leadership, inserted);
		Object id = idOf(document);
		leadership.requireHeld();
		try {
			this.mongo.insert(document, this.collection);
			return Outcome.APPLIED;
		}
		catch (DuplicateKeyException ex) {
			if (exists(theirs(leadership, id))) {
				return Outcome.FENCED_OFF;
			}
			throw ex;
		}
	}

	/**
	 * Delete a document. Its term is deleted with it, so an earlier leader can insert it
	 * again.
	 * @param leadership the leadership in whose name to write
	 * @param id the id of the document
	 * @return the outcome
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended
	 */
	public Outcome delete(Leadership leadership, Object id) {
		return write(leadership, id,
				() -> this.mongo.remove(ours(leadership, id), this.type, this.collection).getDeletedCount() > 0);
	}

	/** Extend an update to store the term, too. */
	private UpdateDefinition noting(Leadership leadership, UpdateDefinition update) {
		Document operators = new Document(update.getUpdateObject());
		if (operators.keySet().stream().anyMatch((operator) -> !operator.startsWith("$"))) {
			throw new IllegalArgumentException("An update by a pipeline or a whole document can't be fenced. "
					+ "Use operators, or replace the document");
		}
		if (update.modifies(this.field)) {
			throw new IllegalArgumentException(
					"The update changes the term field '%s'. Use another field for the term".formatted(this.field));
		}
		Document fields = new Document(operators.get(SET, new Document()));
		operators.put(SET, fields.append(this.field, leadership.term()));
		return new BasicUpdate(operators) {

			@Override
			public List<ArrayFilter> getArrayFilters() {
				return update.getArrayFilters();
			}

			@Override
			public boolean hasArrayFilters() {
				return update.hasArrayFilters();
			}

		};
	}

	private Outcome write(Leadership leadership, Object id, BooleanSupplier write) {
		leadership.requireHeld();
		for (int i = 0; i < ATTEMPTS; i++) {
			if (write.getAsBoolean()) {
				return Outcome.APPLIED;
			}
			if (exists(theirs(leadership, id))) {
				return Outcome.FENCED_OFF;
			}
			if (!exists(byId(id))) {
				return Outcome.NOT_FOUND;
			}
			// Another writer has inserted the document meanwhile: try again.
		}
		throw new ConcurrencyFailureException("Document '%s' in '%s' keeps being removed and inserted: try again later"
			.formatted(id, this.collection));
	}

	private boolean exists(Query query) {
		return this.mongo.exists(query.withReadPreference(ReadPreference.primary()), this.type, this.collection);
	}

	private static Query byId(Object id) {
		return Query.query(Criteria.where(ID).is(id));
	}

	/** Match the document if no later leader has written it. */
	private Query ours(Leadership leadership, Object id) {
		requireComparable(id);
		return Query.query(Criteria.where(ID).is(id).orOperator(unwritten(), writtenUntil(leadership)));
	}

	/**
	 * Match the document if a later leader has written it, or its term can't be compared.
	 * One query, since two could see different documents.
	 */
	private Query theirs(Leadership leadership, Object id) {
		return Query.query(Criteria.where(ID).is(id).norOperator(unwritten(), writtenUntil(leadership)));
	}

	private Criteria unwritten() {
		return Criteria.where(this.field).exists(false);
	}

	private Criteria writtenUntil(Leadership leadership) {
		return Criteria.where(this.field).lte(leadership.term());
	}

	private void requireComparable(Object id) {
		if (!map(new Document(this.field, 0L)).values().stream().allMatch(Number.class::isInstance)) {
			throw new IllegalArgumentException(
					"'%s' of %s is not stored as a number, so terms can't be compared. Name another field for the term"
						.formatted(this.field, this.type.getName()));
		}
		if (id instanceof Date || map(new Document(ID, id)).get(ID) instanceof Date) {
			throw new IllegalArgumentException(
					"The id of a fenced document can't be a date: Spring Data converts it to a different "
							+ "ObjectId each time. Use text or a number");
		}
	}

	private static Object idOf(Document document) {
		Object id = document.get(ID);
		if (id == null) {
			throw new IllegalArgumentException("A document without an id can't be fenced. Set its id");
		}
		return id;
	}

	private Document documentOf(Leadership leadership, Object entity) {
		Document document = new Document();
		Document mapped = new Document(this.field, leadership.term());
		if (entity instanceof Document source) {
			document.putAll(source);
			mapped.append(ID, idOf(source));
		}
		else {
			this.mongo.getConverter().write(entity, document);
		}
		requireComparable(idOf(document));
		document.putAll(map(mapped));
		return document;
	}

	/** Map as the template does for queries, so that queries find what is stored. */
	private Document map(Document document) {
		return this.mapper.getMappedObject(document,
				this.mongo.getConverter().getMappingContext().getPersistentEntity(this.type));
	}

	/**
	 * Keep an id that is text as text: the template maps the query of a replacement
	 * without the entity's type.
	 */
	private static Document asDocument(Document mapped) {
		mapped.computeIfPresent(ID, (key, id) -> (id instanceof String text) ? new BsonString(text) : id);
		return mapped;
	}

	/**
	 * The outcome of a write.
	 */
	public enum Outcome {

		/** The write was made. */
		APPLIED,

		/** The write was not made: a later leader has written the document. */
		FENCED_OFF,

		/** The write was not made: there is no such document. */
		NOT_FOUND

	}

}
