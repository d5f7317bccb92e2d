package io.github.leaderelection.fence;

import io.github.leaderelection.LeaderOnly;

import org.springframework.transaction.annotation.Transactional;

/**
 * Performs fenced writes.
 */
class Ledger {

	private final Books books;

	Ledger(Books books) {
		this.books = books;
	}

	@LeaderOnly(value = "books", fenced = true)
	@Transactional
	public void book(Runnable inTheMiddle) {
		this.books.increment(inTheMiddle);
	}

	@LeaderOnly(value = "books", fenced = true)
	public void call(Runnable work) {
		work.run();
	}

	@LeaderOnly(value = "audit", fenced = true)
	public void audit(Runnable work) {
		work.run();
	}

}
