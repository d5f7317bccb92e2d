package io.github.leaderelection.mongodb;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;

/**
 * An application without Spring: the one instance that leads sends invoices.
 */
public final class Invoicing {

	private Invoicing() {
	}

	public static void main(String[] args) throws InterruptedException {
		try (MongoClient client = MongoClients.create(args[0])) {
			run(client.getDatabase(args[1]));
		}
	}

	private static void run(MongoDatabase database) throws InterruptedException {
		RecordStores stores = new MongoRecordStores(database);
		try (ElectionEngine elections = ElectionEngine.builder(LeaseStore.forElections(stores, ""))
			.registry(new CandidateRegistry(stores, ""))
			.application("invoicing")
			.settings(ElectionSettings.of(Duration.ofSeconds(20)))
			.build()) {
			Runtime.getRuntime().addShutdownHook(new Thread(elections::close));
			elections.stand("invoices");
			elections.start();
			while (true) {
				elections.runIfLeader("invoices", (leadership) -> database.getCollection("invoices")
					.insertOne(new Document("term", leadership.term())));
				Thread.sleep(1000);
			}
		}
	}

}
