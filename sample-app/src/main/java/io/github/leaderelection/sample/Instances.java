package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.MongoCommandException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import jakarta.annotation.PreDestroy;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.FindAndModifyOptions;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Stores a sign of life of this instance each second, for the pages of all instances. The
 * library's own list of candidates is slower to notice that an instance has gone.
 */
@Component
class Instances {

	private static final Logger logger = LoggerFactory.getLogger(Instances.class);

	/** MongoDB's error codes if the counter is not a number, or would overflow. */
	private static final Set<Integer> UNCOUNTABLE = Set.of(2, 14);

	private final ElectionEngine engine;

	private final MongoOperations mongo;

	private final Environment environment;

	private final Instant startedAt = Instant.now();

	private @Nullable Integer number;

	Instances(ElectionEngine engine, MongoOperations mongo, Environment environment) {
		this.engine = engine;
		this.mongo = mongo;
		this.environment = environment;
	}

	@Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
	void giveSignOfLife() {
		save(null);
	}

	@PreDestroy
	void sayGoodbye() {
		save(Instant.now());
	}

	private synchronized void save(@Nullable Instant stoppedAt) {
		try {
			Integer known = this.number;
			if (known == null) {
				known = nextNumber();
				this.number = known;
			}
			this.mongo.save(new Instance(this.engine.candidateId(), known, host(), ProcessHandle.current().pid(),
					version(), address(), this.startedAt, Instant.now(), stoppedAt,
					inEachElection(ElectionStatus::role), inEachElection(ElectionStatus::callsInFlight)));
		}
		catch (DataAccessException ex) {
			logger.debug("No sign of life, since MongoDB does not answer", ex);
		}
	}

	/** Numbers are easier to tell apart than candidate ids. */
	private int nextNumber() {
		try {
			Document counter = this.mongo.findAndModify(Query.query(Criteria.where("_id").is("instances")),
					new Update().inc("last", 1), FindAndModifyOptions.options().upsert(true).returnNew(true),
					Document.class, "counters");
			if (counter != null && counter.get("last") instanceof Integer last) {
				return last;
			}
		}
		catch (DataAccessException ex) {
			if (!(ex.getCause() instanceof MongoCommandException refusal) || !UNCOUNTABLE.contains(refusal.getCode())) {
				throw ex;
			}
		}
		logger.warn("The number in 'counters' can't be counted up: this instance takes that of its process");
		return Math.toIntExact(ProcessHandle.current().pid());
	}

	/** Candidate ids end with {@code @<host>:<pid>-<random>}. */
	private String host() {
		String place = this.engine.candidateId().replaceFirst("^[^@]*@", "");
		return place.substring(0, place.lastIndexOf(':'));
	}

	private @Nullable String version() {
		String version = this.environment.getProperty("leader-election.candidate.version");
		return (version != null) ? version : this.environment.getProperty("spring.application.version");
	}

	private String address() {
		return this.environment.getProperty("leader-election.candidate.address",
				"http://localhost:" + this.environment.getProperty("local.server.port") + "/");
	}

	private <T> Map<String, T> inEachElection(Function<ElectionStatus, T> value) {
		return this.engine.status().elections().stream().collect(Collectors.toMap(ElectionStatus::election, value));
	}

}
