package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;

import javax.sql.DataSource;

import com.mongodb.client.MongoClient;
import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.LeaseStore;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

/**
 * An application as users write it: candidates, gated methods that are called all the
 * time, and the auto-configured library. It writes down everything it observes.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class FaultCandidate {

	/**
	 * Start the application, which runs until it gets SIGTERM.
	 * @param args properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(FaultCandidate.class, args);
	}

	@Bean(destroyMethod = "")
	HistoryWriter history(@Value("${faults.history}") Path file) {
		return new HistoryWriter(file);
	}

	@Bean
	Candidate alpha(HistoryWriter history, Observer observer) {
		return new RecordedCandidate(GatedWork.ALPHA, history, observer);
	}

	@Bean
	Candidate beta(HistoryWriter history, Observer observer) {
		return new RecordedCandidate(GatedWork.BETA, history, observer);
	}

	@Bean
	Observer observer(HistoryWriter history, @Value("${faults.history}") Path file) {
		return new Observer(history, file);
	}

	@Bean
	GatedWork gatedWork(LeaderElection elections, HistoryWriter history) {
		return new GatedWork(elections, history);
	}

	@Bean
	ApplicationRunner begin(LeaderElection elections, HistoryWriter history, Observer observer, GatedWork work,
			ObjectProvider<DataSource> pool, @Value("${faults.history}") Path file,
			@Value("${leader-election.ttl}") Duration ttl) {
		return (args) -> {
			history.write("process", elections.candidateId(), ttl.toMillis());
			observer.start(elections);
			pool.ifAvailable((each) -> new PoolUser(each, file).start());
			new Caller(GatedWork.ALPHA, work::alpha, history).start();
			new Caller(GatedWork.BETA, work::beta, history).start();
		};
	}

	/**
	 * Record the end: beans are destroyed after the lifecycle has stopped, this first.
	 */
	@Bean
	DisposableBean end(HistoryWriter history, LeaderElection elections) {
		return () -> history.write("closed", elections.candidateId());
	}

	/**
	 * Break the protocol, to show that the checker notices. The bean is found by name.
	 */
	@Bean
	@ConditionalOnBooleanProperty("faults.impatient")
	LeaseStore electionLeases(ObjectProvider<MongoClient> client, ObjectProvider<DataSource> dataSource,
			@Value("${spring.mongodb.database:}") String database) {
		DataSource tables = dataSource.getIfAvailable();
		return new ImpatientLeaseStore((tables != null) ? new JdbcRecordStores(tables)
				: new MongoRecordStores(client.getObject().getDatabase(database)));
	}

}
