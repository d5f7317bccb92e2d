package io.github.leaderelection.fence.example;

import io.github.leaderelection.LeaderOnly;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

/** As on the page about fencing. */
@Component
class Ledger {

	private final MongoTemplate mongo;

	Ledger(MongoTemplate mongo) {
		this.mongo = mongo;
	}

	@Transactional
	@LeaderOnly(value = "invoices", fenced = true, otherwise = LeaderOnly.Otherwise.THROW)
	public void book(String account, int amount) {
		this.mongo.updateFirst(query(where("_id").is(account)), new Update().inc("balance", amount), "accounts");
	}

}
