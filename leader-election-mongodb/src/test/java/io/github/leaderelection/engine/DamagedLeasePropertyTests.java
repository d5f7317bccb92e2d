package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.MongoLeaseStore;
import io.github.leaderelection.mongodb.StoredDocuments;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterProperty;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Elections among leases that somebody has edited, on a real MongoDB: what is damaged is
 * reported once, never obeyed and never overwritten, and the other elections go on.
 */
class DamagedLeasePropertyTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final int STEPS = 14;

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<BsonDocument> collection = this.database.getCollection(MongoLeaseStore.COLLECTION,
			BsonDocument.class);

	private final MongoLeaseStore store = new MongoLeaseStore(this.database);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@AfterProperty
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@Property(tries = 40, edgeCases = EdgeCasesMode.NONE)
	void damageIsReportedOnceAndLeftAloneWhileOthersGoOn(@ForAll("documents") @Size(4) List<BsonDocument> documents) {
		this.collection.deleteMany(new BsonDocument());
		List<String> odd = new ArrayList<>();
		for (BsonDocument document : documents) {
			odd.add("odd-" + odd.size());
			this.collection.insertOne(document.clone().append("_id", new BsonString(odd.get(odd.size() - 1))));
		}
		LeaseReading before = this.store.read(odd, TIMEOUT);
		Map<String, BsonDocument> damaged = new HashMap<>();
		before.damaged().keySet().forEach((election) -> damaged.put(election, stored(election)));
		ManualClock clock = new ManualClock();
		ElectionsNode node = new ElectionsNode("me", this.store, clock);
		odd.forEach(node.elections()::stand);
		node.elections().stand("sound");
		listen(() -> {
			for (int step = 0; step < STEPS; step++) {
				node.run();
				assertThat(node.leads("sound")).as("leads at step %d", step).isTrue();
				assertThat(node.term("sound").term()).isEqualTo(1);
				damaged.forEach((election, document) -> {
					assertThat(node.leads(election)).isFalse();
					assertThat(stored(election)).isEqualTo(document);
				});
				clock.advance(ElectionsNode.TTL.dividedBy(4));
			}
		});
		Duration passed = ElectionsNode.TTL.dividedBy(4).multipliedBy(STEPS - 1);
		before.leases().forEach((election, lease) -> {
			if (!isExtreme(lease)) {
				boolean available = lease.isVacant() || lease.ttl().compareTo(passed) <= 0;
				assertThat(node.leads(election)).as("leads %s after %s", lease, passed).isEqualTo(available);
			}
		});
		damaged.keySet()
			.forEach((election) -> assertThat(this.log.list)
				.filteredOn((event) -> event.getFormattedMessage()
					.startsWith("The stored lease of election '%s' is damaged: ".formatted(election)))
				.hasSize(1));
	}

	private static boolean isExtreme(Lease lease) {
		return StoredDocuments.isExtreme(lease.term()) || StoredDocuments.isExtreme(lease.revision());
	}

	private void listen(Runnable action) {
		Logger logger = (Logger) LoggerFactory.getLogger(Damage.class);
		this.log.list.clear();
		this.log.start();
		logger.addAppender(this.log);
		logger.setAdditive(false);
		try {
			action.run();
		}
		finally {
			logger.setAdditive(true);
			logger.detachAppender(this.log);
		}
	}

	private BsonDocument stored(String election) {
		return this.collection.find(Filters.eq(election)).first();
	}

	@Provide
	Arbitrary<List<BsonDocument>> documents() {
		return StoredDocuments.any().list();
	}

}
