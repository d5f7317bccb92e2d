package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application with Spring and without Spring Boot: the one instance that leads sends
 * invoices.
 */
@Configuration(proxyBeanMethods = false)
@EnableLeaderElection
@EnableScheduling
public class Invoicing {

	@Bean
	MongoClient mongoClient(Environment environment) {
		return MongoClients.create(environment.getRequiredProperty("mongodb.uri"));
	}

	@Bean
	MongoDatabase database(MongoClient client, Environment environment) {
		return client.getDatabase(environment.getRequiredProperty("mongodb.database"));
	}

	@Bean
	RecordStores recordStores(MongoDatabase database) {
		return new MongoRecordStores(database);
	}

	@Bean
	ElectionSettings electionSettings() {
		return ElectionSettings.of(Duration.ofSeconds(20));
	}

	@Bean
	Invoices invoices(MongoDatabase database) {
		return new Invoices(database);
	}

	public static class Invoices {

		private final MongoDatabase database;

		Invoices(MongoDatabase database) {
			this.database = database;
		}

		@LeaderOnly("invoices")
		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
		public void send() {
			this.database.getCollection("invoices").insertOne(new Document());
		}

	}

}
