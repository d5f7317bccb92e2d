package io.github.leaderelection.fence.example;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** As on the page about fencing in relational databases. */
@Component
class PriceTable {

	private final LeaderElection elections;

	private final JdbcClient sql;

	PriceTable(LeaderElection elections, JdbcClient sql) {
		this.elections = elections;
		this.sql = sql;
	}

	@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
	public boolean publish(String product, int price) {
		return this.sql.sql("UPDATE prices SET price = :price, term = :term WHERE id = :id AND term <= :term")
			.param("price", price)
			.param("term", this.elections.currentLeadership().term())
			.param("id", product)
			.update() == 1;
	}

}
