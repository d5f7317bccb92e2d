package io.github.leaderelection.fence.example;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.fence.FencedCollection;
import io.github.leaderelection.fence.FencedCollection.Outcome;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;

/** As on the page about fencing. */
@Component
class Prices {

	private final LeaderElection elections;

	private final FencedCollection prices;

	Prices(LeaderElection elections, MongoTemplate mongo) {
		this.elections = elections;
		this.prices = new FencedCollection(mongo, "prices");
	}

	@LeaderOnly("invoices")
	public Outcome publish(String product, int price) {
		return this.prices.upsert(this.elections.currentLeadership(), product, new Update().set("price", price));
	}

}
