package io.github.leaderelection.fence;

import java.time.Instant;
import java.util.Date;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.result.UpdateResult;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.fence.FencedCollection.Outcome;
import io.github.leaderelection.mongodb.FreshDatabase;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.aggregation.AggregationUpdate;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldType;
import org.springframework.data.mongodb.core.mapping.MongoId;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.data.mongodb.core.query.UpdateDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FencedCollection} on a real MongoDB.
 */
class FencedCollectionTests {

	private static final Leadership FORMER = new TestTerm("prices", 7).leadership();

	private static final Leadership LATTER = new TestTerm("prices", 8).leadership();

	@RegisterExtension
	final FreshDatabase database = new FreshDatabase();

	private final MongoTemplate mongo = new MongoTemplate(this.database.client(), this.database.name());

	private final FencedCollection prices = new FencedCollection(this.mongo, "prices");

	/** Documents of its own, those of its predecessor, and those without a term. */
	@ParameterizedTest
	@EnumSource
	void leaderWrites(Write write) {
		for (Document price : List.of(price(1).append("term", 8L), price(1).append("term", 7L), price(1))) {
			delete();
			store(price);
			assertThat(write.apply(this.prices, LATTER)).isEqualTo(Outcome.APPLIED);
			assertThat(write.written(stored())).isTrue();
		}
	}

	/** A document whose term can't be compared is left alone, too. */
	@ParameterizedTest
	@EnumSource
	void formerLeaderIsFencedOff(Write write) {
		for (Object term : List.of(8L, "seven")) {
			delete();
			store(price(1).append("term", term));
			assertThat(write.apply(this.prices, FORMER)).isEqualTo(Outcome.FENCED_OFF);
			assertThat(stored()).containsExactly(price(1).append("term", term));
		}
	}

	@ParameterizedTest
	@EnumSource
	void missingDocumentIsWrittenByUpsertOnly(Write write) {
		Outcome expected = (write == Write.UPSERT) ? Outcome.APPLIED : Outcome.NOT_FOUND;
		assertThat(write.apply(this.prices, FORMER)).isEqualTo(expected);
		assertThat(stored()).hasSize((write == Write.UPSERT) ? 1 : 0);
	}

	@ParameterizedTest
	@EnumSource
	void leaderAwareOfItsLossWritesNothing(Write write) {
		store(price(1));
		TestTerm ended = new TestTerm("prices", 9);
		ended.lose();
		assertThatExceptionOfType(LeadershipLostException.class)
			.isThrownBy(() -> write.apply(this.prices, ended.leadership()));
		assertThat(stored()).containsExactly(price(1));
	}

	@Test
	void termIsStored() {
		store(price(1));
		Update update = new Update().set("price", 2);
		this.prices.update(FORMER, "a", update);
		assertThat(update.getUpdateObject()).isEqualTo(new Document("$set", new Document("price", 2)));
		assertThat(stored()).containsExactly(price(2).append("term", 7L));
		this.prices.update(LATTER, "a", new Update());
		assertThat(stored()).containsExactly(price(2).append("term", 8L));
		assertThat(this.prices.update(FORMER, "a", new Update())).isEqualTo(Outcome.FENCED_OFF);
	}

	@Test
	void termInAnotherField() {
		FencedCollection others = this.prices.withTermIn("writtenIn");
		assertThat(others.upsert(LATTER, "a", new Update().set("price", 2).setOnInsert("currency", "EUR")))
			.isEqualTo(Outcome.APPLIED);
		assertThat(stored()).containsExactly(
				new Document("_id", "a").append("currency", "EUR").append("price", 2).append("writtenIn", 8L));
		assertThat(others.update(FORMER, "a", new Update().set("price", 3))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(others.delete(FORMER, "a")).isEqualTo(Outcome.FENCED_OFF);
	}

	@Test
	void concurrentUpsertsAreAllApplied() {
		CompletableFuture
			.allOf(IntStream.range(0, 16)
				.mapToObj((i) -> CompletableFuture
					.runAsync(() -> assertThat(this.prices.upsert(FORMER, "a", new Update().inc("price", 1)))
						.isEqualTo(Outcome.APPLIED)))
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(stored()).containsExactly(price(16).append("term", 7L));
	}

	/** Without the filter that names the id there would be a second document. */
	@Test
	void upsertThatDoesNotMatchInsertsNothing() {
		store(price(1).append("term", 8L));
		this.mongo.upsert(Query.query(Criteria.where("name").is("a").and("term").lte(7L)), new Update().set("price", 2),
				"prices");
		assertThat(stored()).hasSize(2);
		assertThat(this.prices.upsert(FORMER, "a", new Update().set("price", 2))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(stored()).hasSize(2);
	}

	@Test
	void otherUniqueIndexIsNotMistakenForTheFence() {
		this.mongo.getCollection("prices").createIndex(new Document("price", 1), new IndexOptions().unique(true));
		store(price(1).append("term", 8L));
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> this.prices.upsert(FORMER, "b", new Update().set("price", 1)));
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> this.prices.insert(FORMER, new Document("_id", "b").append("price", 1)));
		this.prices.insert(FORMER, new Document("_id", "b").append("price", 2));
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> this.prices.upsert(FORMER, "b", new Update().set("price", 1)));
	}

	@Test
	void insert() {
		assertThat(this.prices.insert(FORMER, price(1))).isEqualTo(Outcome.APPLIED);
		assertThat(stored()).containsExactly(price(1).append("term", 7L));
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> this.prices.insert(FORMER, price(2)));
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> this.prices.insert(LATTER, price(2)));
		this.prices.update(LATTER, "a", new Update());
		assertThat(this.prices.insert(FORMER, price(2))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(stored()).containsExactly(price(1).append("term", 8L));
	}

	/** As the class says: where it matters, documents are marked as deleted. */
	@Test
	void deletedDocumentDoesNotFence() {
		store(price(1));
		assertThat(this.prices.delete(LATTER, "a")).isEqualTo(Outcome.APPLIED);
		assertThat(this.prices.update(FORMER, "a", new Update().set("price", 2))).isEqualTo(Outcome.NOT_FOUND);
		assertThat(this.prices.upsert(FORMER, "a", new Update().set("price", 2))).isEqualTo(Outcome.APPLIED);
	}

	@Test
	void entities() {
		FencedCollection entities = new FencedCollection(this.mongo, Price.class);
		assertThat(entities.insert(FORMER, new Price("a", 1))).isEqualTo(Outcome.APPLIED);
		assertThat(entities.update(FORMER, "a", new Update().inc("amount", 1))).isEqualTo(Outcome.APPLIED);
		assertThat(this.mongo.findById("a", Price.class)).isEqualTo(new Price("a", 2));
		assertThat(entities.replace(LATTER, new Price("a", 5))).isEqualTo(Outcome.APPLIED);
		assertThat(entities.replace(FORMER, new Price("a", 6))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(this.mongo.findById("a", Price.class)).isEqualTo(new Price("a", 5));
		assertThat(this.mongo.findById("a", Document.class, "price")).containsEntry("eur", 5).containsEntry("term", 8L);
		assertThat(entities.delete(FORMER, "a")).isEqualTo(Outcome.FENCED_OFF);
		assertThat(entities.delete(LATTER, "a")).isEqualTo(Outcome.APPLIED);
	}

	@Test
	void allWritesTreatIdsLikeObjectIdsTheSame() {
		String id = "64b0c0ffee64b0c0ffee64b0";
		assertOneDocument(new FencedCollection(this.mongo, Price.class), id, new Price(id, 1));
		assertOneDocument(new FencedCollection(this.mongo, Label.class), id, new Label(id, 0));
		assertOneDocument(this.prices, id, new Document("_id", id));
	}

	private void assertOneDocument(FencedCollection collection, String id, Object document) {
		this.mongo.getDb().drop();
		for (Outcome outcome : List.of(collection.insert(FORMER, document),
				collection.update(FORMER, id, new Update().set("note", "b")),
				collection.upsert(FORMER, id, new Update().set("note", "c")), collection.replace(LATTER, document))) {
			assertThat(outcome).isEqualTo(Outcome.APPLIED);
		}
		assertThat(this.mongo.getCollectionNames()).singleElement()
			.satisfies((name) -> assertThat(this.mongo.getCollection(name).countDocuments()).isOne());
		assertThat(collection.insert(FORMER, document)).isEqualTo(Outcome.FENCED_OFF);
	}

	/** Spring Data converts a date to an {@code ObjectId}, a new one each time. */
	@ParameterizedTest
	@EnumSource
	void dateAsIdIsRefused(Write write) {
		for (Object id : List.of(new Date(), Instant.now())) {
			assertThatIllegalArgumentException().isThrownBy(() -> write.apply(this.prices, FORMER, id))
				.withMessageContaining("Use text or a number");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.prices.insert(FORMER, new Document("_id", id).append("price", 1)));
		}
		assertThat(stored()).isEmpty();
	}

	/** The property is stored under another name. */
	@Test
	void termStoredInAPropertyOfTheEntity() {
		FencedCollection entities = new FencedCollection(this.mongo, Label.class);
		assertThat(entities.insert(LATTER, new Label("a", 0))).isEqualTo(Outcome.APPLIED);
		assertThat(this.mongo.findById("a", Label.class)).isEqualTo(new Label("a", 8));
		assertThat(entities.update(FORMER, "a", new Update().set("text", "b"))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(entities.replace(LATTER, new Label("a", 0))).isEqualTo(Outcome.APPLIED);
		assertThat(entities.delete(FORMER, "a")).isEqualTo(Outcome.FENCED_OFF);
		FencedCollection same = entities.withTermIn("writtenIn");
		assertThat(same.insert(FORMER, new Label("a", 0))).isEqualTo(Outcome.FENCED_OFF);
		assertThat(same.update(LATTER, "a", new Update())).isEqualTo(Outcome.APPLIED);
	}

	/** Text would be compared as text: "10" is less than "9". */
	@ParameterizedTest
	@EnumSource
	void termThatIsStoredAsTextIsRefused(Write write) {
		FencedCollection entities = new FencedCollection(this.mongo, Tagged.class);
		assertThatIllegalArgumentException().isThrownBy(() -> write.apply(entities, FORMER))
			.withMessageContaining("'term' of " + Tagged.class.getName() + " is not stored as a number");
		assertThatIllegalArgumentException().isThrownBy(() -> entities.insert(FORMER, new Tagged("a", 0)));
		assertThat(this.mongo.findAll(Tagged.class)).isEmpty();
		assertThat(entities.withTermIn("writtenIn").insert(FORMER, new Tagged("a", 0))).isEqualTo(Outcome.APPLIED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "_id", "meta.writtenIn", "$term" })
	void fieldThatCannotHoldTheTermIsRefused(String field) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.prices.withTermIn(field))
			.withMessageContaining("'" + field + "'");
	}

	/**
	 * A document prevents the insert, and is gone before it is read.
	 */
	@Test
	void upsertDuringADeleteIsApplied() {
		MongoTemplate deleting = new MongoTemplate(this.database.client(), this.database.name()) {

			@Override
			public UpdateResult updateFirst(Query query, UpdateDefinition update, Class<?> type, String collection) {
				remove(new Query(), collection);
				return super.updateFirst(query, update, type, collection);
			}

		};
		store(price(1).append("term", 8L));
		assertThat(new FencedCollection(deleting, "prices").upsert(FORMER, "a", new Update().set("price", 2)))
			.isEqualTo(Outcome.APPLIED);
		assertThat(stored()).containsExactly(price(2).append("term", 7L));
	}

	/** Another thread of the same leader deletes and inserts it. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UPSERT")
	void documentRecreatedMeanwhileIsNotFencedOff(Write write) {
		MongoTemplate changing = changing(() -> store(price(1).append("term", 7L)), this::delete);
		assertThat(write.apply(new FencedCollection(changing, "prices"), FORMER)).isEqualTo(Outcome.NOT_FOUND);
	}

	@Test
	void insertDuringADeleteIsNotFencedOff() {
		store(price(1).append("term", 7L));
		MongoTemplate changing = changing(() -> {
		}, this::delete);
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> new FencedCollection(changing, "prices").insert(FORMER, price(2)));
	}

	/** Return operations that run an action each time before they read a document. */
	private MongoTemplate changing(Runnable... before) {
		Iterator<Runnable> next = List.of(before).iterator();
		return new MongoTemplate(this.database.client(), this.database.name()) {

			@Override
			public boolean exists(Query query, @Nullable Class<?> type, String collection) {
				if (next.hasNext()) {
					next.next().run();
				}
				return super.exists(query, type, collection);
			}

		};
	}

	private void delete() {
		this.mongo.remove(new Query(), "prices");
	}

	@Test
	void unfenceableWriteIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.prices.insert(FORMER, new Document("price", 1)))
			.withMessage("A document without an id can't be fenced. Set its id");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.prices.update(FORMER, "a", new Update().set("term", 9)))
			.withMessageContaining("Use another field");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.prices.update(FORMER, "a", AggregationUpdate.update().set("price").toValue(1)))
			.withMessageContaining("Use operators");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.prices.update(FORMER, "a", Update.fromDocument(new Document("price", 1))))
			.withMessageContaining("Use operators");
	}

	private void store(Document document) {
		this.mongo.getCollection("prices").insertOne(document);
	}

	private List<Document> stored() {
		return this.mongo.findAll(Document.class, "prices");
	}

	private static Document price(int price) {
		return new Document("_id", "a").append("price", price);
	}

	/** The writes that name a document. */
	enum Write {

		UPDATE((prices, leadership, id) -> prices.update(leadership, id, new Update().set("price", 2))),

		UPSERT((prices, leadership, id) -> prices.upsert(leadership, id, new Update().set("price", 2))),

		REPLACE((prices, leadership, id) -> prices.replace(leadership, new Document("_id", id).append("price", 2))),

		DELETE((prices, leadership, id) -> prices.delete(leadership, id));

		private final WriteById write;

		Write(WriteById write) {
			this.write = write;
		}

		Outcome apply(FencedCollection prices, Leadership leadership) {
			return apply(prices, leadership, "a");
		}

		Outcome apply(FencedCollection prices, Leadership leadership, Object id) {
			return this.write.apply(prices, leadership, id);
		}

		boolean written(List<Document> stored) {
			return (this == DELETE) ? stored.isEmpty() : stored.get(0).get("price").equals(2);
		}

	}

	@FunctionalInterface
	private interface WriteById {

		Outcome apply(FencedCollection prices, Leadership leadership, Object id);

	}

	record Tagged(@MongoId(FieldType.STRING) String id, @Field(targetType = FieldType.STRING) long term) {

	}

	record Label(@MongoId(FieldType.STRING) String id, @Field("writtenIn") long term) {

	}

	record Price(@Id String id, @Field("eur") int amount) {

	}

}
