package io.github.leaderelection.fence;

import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * An account in some database.
 */
abstract class Books {

	abstract void read();

	abstract void increment();

	void increment(Runnable inTheMiddle) {
		read();
		inTheMiddle.run();
		increment();
	}

	@Transactional
	public void book(Runnable inTheMiddle) {
		increment(inTheMiddle);
	}

	@Transactional
	public void bookAround(Ledger ledger) {
		increment();
		ledger.call(() -> {
		});
	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void bookSeparately(Runnable inTheMiddle) {
		increment(inTheMiddle);
	}

	@Transactional
	public void call(Runnable work) {
		work.run();
	}

}
