package io.github.leaderelection.fence.example;

import io.github.leaderelection.LeaderOnly;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** As on the page about fencing in relational databases. */
@Component
class Accounts {

	private final JdbcClient sql;

	Accounts(JdbcClient sql) {
		this.sql = sql;
	}

	@Transactional
	@LeaderOnly(value = "invoices", fenced = true, otherwise = LeaderOnly.Otherwise.THROW)
	public void book(String account, int amount) {
		this.sql.sql("UPDATE accounts SET balance = balance + ? WHERE id = ?").params(amount, account).update();
	}

}
