package io.github.leaderelection.fence;

import java.io.IOException;
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
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.Document;
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
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.annotation.Transactional;

/**
 * An application whose leader writes all the time, in transactions and without, fenced or
 * not. It stops itself, as {@code SIGSTOP} from outside would, right before a command
 * that the test names.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ AopAutoConfiguration.class, MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
		TransactionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
		LeaderElectionAutoConfiguration.class, LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
class StoppedLeaderApplication {

	private static final Logger logger = LoggerFactory.getLogger(StoppedLeaderApplication.class);

	/** What leaders write in transactions: two each, with their term. */
	static final String ENTRIES = "entries";

	/** One document, which each leader overwrites. */
	static final String REGISTER = "register";

	/** How far each instance is, and where it is to stop. */
	static final String INSTANCES = "instances";

	/**
	 * Runs until it is killed.
	 * @param args the name of the instance, then properties
	 */
	public static void main(String[] args) throws InterruptedException {
		String name = args[0];
		ConfigurableApplicationContext context = SpringApplication.run(StoppedLeaderApplication.class, args);
		StopPoint stop = context.getBean(StopPoint.class);
		Work work = context.getBean(Work.class);
		boolean fenced = context.getEnvironment().getRequiredProperty("fenced", Boolean.class);
		try (MongoClient client = MongoClients.create(context.getEnvironment().getProperty("spring.mongodb.uri"))) {
			MongoCollection<Document> instances = client
				.getDatabase(context.getEnvironment().getProperty("spring.mongodb.database"))
				.getCollection(INSTANCES);
			while (true) {
				Document told = instances.findOneAndUpdate(Filters.eq(name),
						Updates.combine(Updates.inc("rounds", 1), Updates.set("pid", ProcessHandle.current().pid()),
								Updates.set("leads", context.getBean(LeaderElection.class).isLeader("work"))),
						new FindOneAndUpdateOptions().upsert(true));
				stop.before((told != null) ? told.getString("stopBefore") : null,
						() -> instances.updateOne(Filters.eq(name), Updates.unset("stopBefore")));
				attempt(fenced ? work::book : work::bookUnfenced);
				attempt(fenced ? work::write : work::writeUnfenced);
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
	MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
		return new MongoTransactionManager(factory);
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
	Work work(MongoTemplate mongo, LeaderElection elections) {
		return new Work(mongo, elections);
	}

	static class Work {

		private final MongoTemplate mongo;

		private final LeaderElection elections;

		private final FencedCollection register;

		Work(MongoTemplate mongo, LeaderElection elections) {
			this.mongo = mongo;
			this.elections = elections;
			this.register = new FencedCollection(mongo, REGISTER);
		}

		@LeaderOnly(value = "work", fenced = true, interrupt = false)
		@Transactional
		public void book() {
			insertTwo();
		}

		@LeaderOnly(value = "work", interrupt = false)
		@Transactional
		public void bookUnfenced() {
			insertTwo();
		}

		private void insertTwo() {
			long term = this.elections.currentLeadership().term();
			this.mongo.insert(new Document("term", term), ENTRIES);
			this.mongo.insert(new Document("term", term), ENTRIES);
		}

		@LeaderOnly(value = "work", interrupt = false)
		public void write() {
			Leadership leadership = this.elections.currentLeadership();
			this.register.upsert(leadership, "one", noting(leadership.term()));
		}

		@LeaderOnly(value = "work", interrupt = false)
		public void writeUnfenced() {
			long term = this.elections.currentLeadership().term();
			this.mongo.upsert(Query.query(Criteria.where("_id").is("one")), noting(term).set("term", term), REGISTER);
		}

		/** The last writers, in the order in which they have written. */
		private static Update noting(long term) {
			return new Update().push("writers").slice(-1000).each(term);
		}

	}

	/**
	 * Stops this process right before a command is sent: all of its threads, whatever
	 * they have found out until then.
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
