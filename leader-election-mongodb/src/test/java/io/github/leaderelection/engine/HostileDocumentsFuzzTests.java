package io.github.leaderelection.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.HostileDocuments;
import io.github.leaderelection.mongodb.MongoCandidateRegistry;
import io.github.leaderelection.mongodb.MongoLeaseStore;
import io.github.leaderelection.mongodb.MongoLockStore;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseStore;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of documents that nobody should have written, on a real MongoDB: whatever is
 * stored in place of leases is obeyed as a lease, or reported once and left as it is to
 * the last byte; the elections beside it go on; and whatever is told of it is fit for one
 * line.
 * <p>
 * {@code -Dfuzz.documents} sets how many, {@code -Dfuzz.seed} repeats a run: each failure
 * names the seed of its round.
 */
class HostileDocumentsFuzzTests {

	private static final int DOCUMENTS = Integer.getInteger("fuzz.documents", 10_000);

	private static final long SEED = Long.getLong("fuzz.seed", new Random().nextInt());

	private static final int PER_ROUND = 250;

	private static final int STEPS = 5;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<RawBsonDocument> leases = this.database.getCollection(MongoLeaseStore.COLLECTION,
			RawBsonDocument.class);

	private final MongoCollection<RawBsonDocument> candidates = this.database
		.getCollection(MongoCandidateRegistry.COLLECTION, RawBsonDocument.class);

	private final List<String> failures = new ArrayList<>();

	private final LeaseStore store = watched(new MongoLeaseStore(this.database));

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.log.start();
		logger().addAppender(this.log);
		logger().setAdditive(false);
	}

	@AfterEach
	void close() {
		logger().setAdditive(true);
		logger().detachAppender(this.log);
		this.database.drop();
		this.client.close();
	}

	@Test
	void whateverIsInPlaceOfLeasesIsObeyedOrReportedAndLeftAlone() {
		for (int done = 0; done < DOCUMENTS; done += PER_ROUND) {
			round(SEED + done);
		}
	}

	@Test
	void whateverIsAmongTheCandidatesIsReadOrLeftOut() {
		MongoCandidateRegistry registry = new MongoCandidateRegistry(this.database, null);
		CandidateRecord me = new CandidateRecord("me", "shop", "host", 1, null, null, Set.of("jobs"), null, null);
		for (int done = 0; done < DOCUMENTS; done += PER_ROUND) {
			long seed = SEED + done;
			HostileDocuments documents = new HostileDocuments(seed);
			this.candidates.deleteMany(Filters.empty());
			List<RawBsonDocument> stored = new ArrayList<>();
			for (int i = 0; i < PER_ROUND; i++) {
				stored.add(documents.candidate(i, System.currentTimeMillis()));
			}
			this.candidates.insertMany(stored);
			Announcements announcements = new Announcements(me, new Patient(registry), new Moment(0, 0));
			announcements.poll(Set.of("jobs"), Set.of(), 0, TIMEOUT, new Moment(0, 0)).perform();
			assertThat(announcements.candidates()).as("seed=%d", seed).hasSizeGreaterThan(PER_ROUND / 2);
			assertThat(announcements.candidates()).as("seed=%d", seed).allSatisfy((each) -> {
				assertOneLine(each.toString(), seed);
				assertOneLine(each.id() + each.application() + each.host() + each.version() + each.address(), seed);
			});
			assertThat(registry.findAll(TIMEOUT).toString()).as("seed=%d", seed).doesNotContain("\n", "\u001b");
		}
	}

	private void round(long seed) {
		HostileDocuments documents = new HostileDocuments(seed);
		this.leases.deleteMany(Filters.empty());
		this.log.list.clear();
		Map<String, RawBsonDocument> stored = new HashMap<>();
		for (int i = 0; i < PER_ROUND; i++) {
			stored.put("odd-" + i, documents.lease("odd-" + i));
		}
		this.leases.insertMany(List.copyOf(stored.values()));
		LeaseReading before = this.store.read(stored.keySet(), TIMEOUT);
		assertThat(before.leases().size() + before.damaged().size()).as("seed=%d", seed).isEqualTo(PER_ROUND);
		assertThat(new MongoLockStore(this.database, MongoLeaseStore.COLLECTION, null).read(stored.keySet(), TIMEOUT))
			.as("seed=%d", seed)
			.isEqualTo(before);
		ManualClock clock = new ManualClock();
		ElectionsNode node = new ElectionsNode("me", this.store, clock);
		stored.keySet().forEach(node.elections()::stand);
		node.elections().stand("sound");
		for (int step = 0; step < STEPS; step++) {
			node.run();
			assertThat(node.leads("sound")).as("seed=%d step=%d", seed, step).isTrue();
			assertThat(node.term("sound").term()).as("seed=%d step=%d", seed, step).isEqualTo(1);
			clock.advance(ElectionsNode.TTL.dividedBy(4));
		}
		assertThat(this.failures).as("seed=%d", seed).isEmpty();
		Map<String, RawBsonDocument> after = new HashMap<>();
		this.leases.find().forEach((document) -> after.put(document.getString("_id").getValue(), document));
		stored.forEach((election, document) -> {
			ElectionStatus status = node.status(election);
			assertOneLine(status.toString(), seed);
			Lease lease = before.leases().get(election);
			if (lease == null || status.damage() != null) {
				assertThat(node.leads(election)).as("seed=%d %s", seed, election).isFalse();
				assertThat(after.get(election).getByteBuffer().asNIO()).as("seed=%d %s", seed, election)
					.isEqualTo(document.getByteBuffer().asNIO());
				assertThat(reports(election)).as("seed=%d %s: %s", seed, election, status.damage()).isEqualTo(1);
			}
			else if (node.leads(election)) {
				assertThat(node.term(election).term()).as("seed=%d %s", seed, election)
					.isGreaterThan(lease.term())
					.isLessThanOrEqualTo(Lease.MAX_TERM);
			}
			else {
				assertThat(lease.isVacant() && lease.successor() == null && !lease.paused())
					.as("seed=%d %s", seed, lease)
					.isFalse();
			}
		});
		this.log.list.forEach((event) -> assertOneLine(event.getFormattedMessage(), seed));
	}

	private static void assertOneLine(String text, long seed) {
		assertThat(text).as("seed=%d", seed)
			.hasSizeLessThan(4_000)
			.doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
	}

	private long reports(String election) {
		String report = "The stored lease of election '%s' is damaged: ".formatted(election);
		return this.log.list.stream().filter((event) -> event.getFormattedMessage().startsWith(report)).count();
	}

	/** A store that notes what fails. */
	private LeaseStore watched(LeaseStore real) {
		return (LeaseStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LeaseStore.class },
				(proxy, method, arguments) -> {
					try {
						return method.invoke(real, arguments);
					}
					catch (InvocationTargetException ex) {
						this.failures.add(method.getName() + ": " + ex.getCause());
						throw ex.getCause();
					}
				});
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.github.leaderelection");
	}

	/** However long the machine takes. */
	private record Patient(CandidateRegistry registry) implements CandidateRegistry {

		@Override
		public void announce(CandidateRecord candidate, Duration timeout) {
			this.registry.announce(candidate, TIMEOUT);
		}

		@Override
		public void remove(String candidateId, Duration timeout) {
			this.registry.remove(candidateId, TIMEOUT);
		}

		@Override
		public List<CandidateRecord> findAll(Duration timeout) {
			return this.registry.findAll(TIMEOUT);
		}

	}

}
