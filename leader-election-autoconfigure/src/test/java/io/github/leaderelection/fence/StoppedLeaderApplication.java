package io.github.leaderelection.fence;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.autoconfigure.DistributedLocksAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application whose leader, or holder of a lock, writes all the time, with and without
 * transactions, fenced or not. It stops itself, as {@code SIGSTOP} from outside would,
 * right before a command that the test names.
 */
@Configuration(proxyBeanMethods = false)
@Import(FencedStartTests.Transactions.class)
@ImportAutoConfiguration({ AopAutoConfiguration.class, MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
		TransactionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
		LeaderElectionAutoConfiguration.class, DistributedLocksAutoConfiguration.class,
		LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
class StoppedLeaderApplication {

	private static final Logger logger = LoggerFactory.getLogger(StoppedLeaderApplication.class);

	/** What leaders write in transactions: two each, with their term. */
	static final String ENTRIES = "entries";

	/** One document, which each leader overwrites. */
	static final String REGISTER = "register";

	/** The progress of each instance, and where it is to stop. */
	static final String INSTANCES = "instances";

	/**
	 * Run until it is killed.
	 * @param args the name of the instance, then properties
	 */
	public static void main(String[] args) throws InterruptedException {
		String name = args[0];
		ConfigurableApplicationContext context = SpringApplication.run(StoppedLeaderApplication.class, args);
		StopPoint stop = context.getBean(StopPoint.class);
		Work work = context.getBean(Work.class);
		boolean fenced = context.getEnvironment().getRequiredProperty("fenced", Boolean.class);
		boolean locked = context.getEnvironment().getRequiredProperty("locked", Boolean.class);
		try (MongoClient client = MongoClients.create(context.getEnvironment().getProperty("spring.mongodb.uri"))) {
			MongoCollection<Document> instances = client
				.getDatabase(context.getEnvironment().getProperty("spring.mongodb.database"))
				.getCollection(INSTANCES);
			while (true) {
				Leadership leadership = locked ? work.lock()
						: context.getBean(LeaderElection.class).leadership("work").orElse(null);
				boolean leads = leadership != null && leadership.isHeld();
				Document told = instances.findOneAndUpdate(
						Filters.eq(name), Updates.combine(Updates.inc("rounds", 1),
								Updates.set("pid", ProcessHandle.current().pid()), Updates.set("leads", leads)),
						new FindOneAndUpdateOptions().upsert(true));
				stop.before((told != null) ? told.getString("stopBefore") : null,
						() -> instances.updateOne(Filters.eq(name), Updates.unset("stopBefore")));
				if (leads) {
					attempt(() -> work.book(leadership, fenced));
					attempt(() -> work.write(leadership, fenced));
				}
				Thread.sleep(10);
			}
		}
	}

	private static void attempt(Runnable work) {
		try {
			work.run();
		}
		catch (RuntimeException ex) {
			logger.info("Failed: {}", ex.toString());
		}
	}

	@Bean
	static StopPoint stopPoint() {
		return new StopPoint();
	}

	@Bean
	MongoClientSettingsBuilderCustomizer stopping(StopPoint point) {
		return (settings) -> settings.addCommandListener(point);
	}

	@Bean
	Work work(MongoTemplate mongo, DistributedLocks locks, MongoTransactionManager manager,
			LeaderTransactions transactions) {
		return new Work(mongo, locks, manager, transactions);
	}

	/** The writes of an instance, under a term. */
	static class Work {

		private final MongoTemplate mongo;

		private final FencedCollection register;

		private final DistributedLocks locks;

		private final TransactionTemplate unfenced;

		private final LeaderTransactions transactions;

		private @Nullable CompletableFuture<HeldLock> acquired;

		Work(MongoTemplate mongo, DistributedLocks locks, MongoTransactionManager manager,
				LeaderTransactions transactions) {
			this.mongo = mongo;
			this.register = new FencedCollection(mongo, REGISTER);
			this.locks = locks;
			this.unfenced = new TransactionTemplate(manager);
			this.transactions = transactions;
		}

		/** Return the lock, or queue for it and return {@code null}. */
		@Nullable HeldLock lock() {
			CompletableFuture<HeldLock> present = this.acquired;
			if (present == null || (present.isDone() && !present.join().isHeld())) {
				this.acquired = this.locks.acquireAsync("work", Duration.ofDays(1));
				return null;
			}
			return present.getNow(null);
		}

		void book(Leadership leadership, boolean fenced) {
			if (fenced) {
				this.transactions.executeWithoutResult(leadership, (status) -> insertTwo(leadership.term()));
			}
			else {
				this.unfenced.executeWithoutResult((status) -> insertTwo(leadership.term()));
			}
		}

		private void insertTwo(long term) {
			this.mongo.insert(new Document("term", term), ENTRIES);
			this.mongo.insert(new Document("term", term), ENTRIES);
		}

		void write(Leadership leadership, boolean fenced) {
			long term = leadership.term();
			// The last writers, in the order in which they have written.
			Update update = new Update().push("writers").slice(-1000).each(term);
			if (fenced) {
				this.register.upsert(leadership, "one", update);
			}
			else {
				this.mongo.upsert(Query.query(Criteria.where("_id").is("one")), update.set("term", term), REGISTER);
			}
		}

	}

	/**
	 * Stops all threads of this process right before a command is sent, whatever they
	 * have found out until then.
	 */
	static class StopPoint implements CommandListener {

		private final AtomicReference<String> command = new AtomicReference<>();

		private volatile Runnable taken = () -> {
		};

		/**
		 * Stop before the given command, as in {@code update register}, if there is one.
		 */
		void before(String newCommand, Runnable onTaken) {
			this.taken = onTaken;
			this.command.set(newCommand);
		}

		@Override
		public void commandStarted(CommandStartedEvent event) {
			BsonValue target = event.getCommand().get(event.getCommandName());
			String started = event.getCommandName()
					+ ((target instanceof BsonString collection) ? " " + collection.getValue() : "");
			if (this.command.get() != null && this.command.get().equals(started)) {
				this.command.set(null);
				this.taken.run();
				stop();
			}
		}

		private static void stop() {
			try {
				new ProcessBuilder("kill", "-STOP", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
			}
			catch (IOException | InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
