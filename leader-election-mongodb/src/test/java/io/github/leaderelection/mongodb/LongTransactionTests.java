package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of fenced transactions that stay open for longer than leases last.
 */
@Tag("deep")
class LongTransactionTests {

	private static final ElectionSettings SETTINGS = ElectionSettings.of(Duration.ofSeconds(3));

	private static final Duration LONG = Duration.ofSeconds(60);

	/** As many as would be missed within a time to live. */
	private static final int RENEWALS = 5;

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final MongoCollection<Document> accounts = this.database.getCollection("accounts");

	private final TermFence fence = new TermFence(this.database);

	private final List<Instance> instances = new ArrayList<>();

	private Instance former;

	private Instance latter;

	@BeforeEach
	void start() {
		this.accounts.insertOne(new Document("_id", "a").append("balance", 0));
		this.former = new Instance("former");
		await().atMost(LONG).until(() -> this.former.leads("x", 1) && this.former.leads("y", 1));
		this.latter = new Instance("latter");
		this.fence.raise(new TestTerm("x", 1).leadership());
	}

	@AfterEach
	void end() {
		this.instances.forEach(Instance::close);
	}

	/** As in Spring, where the fence is passed right before the commit. */
	@Test
	void transactionBeforeTheFenceDelaysNobody() {
		try (ClientSession session = this.mongo.client().startSession()) {
			session.startTransaction();
			book(session);
			leasesGoTheirWay(session);
			new TermFence(this.database).raise(latestLeadership());
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> this.fence.pass(session, new TestTerm("x", 1).leadership()));
		}
		assertThat(balance()).isZero();
	}

	@Test
	void transactionPastTheFenceDelaysTheNextFenceButNoLease() throws Exception {
		try (ClientSession session = this.mongo.client().startSession()) {
			session.startTransaction();
			book(session);
			this.fence.pass(session, new TestTerm("x", 1).leadership());
			leasesGoTheirWay(session);
			CompletableFuture<Void> raised = CompletableFuture
				.runAsync(() -> new TermFence(this.database).raise(latestLeadership()));
			this.latter.awaitRenewals();
			assertThat(raised).isNotDone();
			assertThat(this.latter.leads("x", 2)).isTrue();
			session.commitTransaction();
			raised.get(LONG.toSeconds(), TimeUnit.SECONDS);
		}
		assertThat(balance()).isOne();
	}

	/** Check renewals, a handover, and the takeover from a crashed instance. */
	private void leasesGoTheirWay(ClientSession session) {
		this.former.awaitRenewals();
		assertThat(this.former.leads("x", 1)).isTrue();
		assertThat(this.former.leads("y", 1)).isTrue();
		this.former.engine.resign("y");
		await().atMost(LONG).until(() -> this.latter.leads("y", 2));
		this.former.crash();
		await().atMost(LONG).until(() -> this.latter.leads("x", 2));
		this.latter.awaitRenewals();
		assertThat(this.latter.leads("x", 2)).isTrue();
		// Still open: only this transaction sees its change
		assertThat(this.accounts.find(session).first()).containsEntry("balance", 1);
		assertThat(balance()).isZero();
	}

	private Leadership latestLeadership() {
		return this.latter.engine.leadership("x").orElseThrow();
	}

	private void book(ClientSession session) {
		this.accounts.updateOne(session, Filters.eq("a"), Updates.inc("balance", 1));
	}

	private int balance() {
		return this.accounts.find().first().getInteger("balance");
	}

	/** A candidate for two elections, with its own client. */
	private final class Instance implements AutoCloseable {

		private final RecordedCommands commands = new RecordedCommands();

		private final MongoClient client = this.commands.connect(SharedMongo.uri());

		private final ElectionEngine engine;

		Instance(String name) {
			this.engine = MongoStores.engine(this.client.getDatabase(LongTransactionTests.this.database.getName()),
					name + "@localhost:1-0", SETTINGS);
			LongTransactionTests.this.instances.add(this);
			this.engine.stand("x");
			this.engine.stand("y");
			this.engine.start();
		}

		boolean leads(String election, long term) {
			return this.engine.leadership(election).filter((each) -> each.term() == term).isPresent();
		}

		void awaitRenewals() {
			long before = renewals();
			await().atMost(LONG).until(() -> renewals() >= before + RENEWALS);
		}

		private long renewals() {
			return this.commands.count("findAndModify", MongoStores.SESSIONS);
		}

		/** Nothing that it sends arrives any more. */
		void crash() {
			this.client.close();
		}

		@Override
		public void close() {
			this.engine.close();
			this.client.close();
		}

	}

}
