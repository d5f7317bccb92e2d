package io.github.leaderelection.fence.example;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.fence.LeaderTransactions;
import org.bson.Document;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Component;

/** As on the page about fencing. */
@Component
class Days implements Candidate {

	private final LeaderTransactions transactions;

	private final MongoTemplate mongo;

	Days(LeaderTransactions transactions, MongoTemplate mongo) {
		this.transactions = transactions;
		this.mongo = mongo;
	}

	@Override
	public String election() {
		return "invoices";
	}

	@Override
	public void onElected(Leadership leadership) {
		this.transactions.executeWithoutResult(leadership,
				(status) -> this.mongo.insert(new Document("openedIn", leadership.term()), "days"));
	}

}
