package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.fence.FencedCollection;
import io.github.leaderelection.fence.FencedCollection.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job of many short steps. Before each step it checks whether this instance still
 * leads, so it stops in time even where no interrupt reaches it. Its writes are fenced:
 * after a pause of this process MongoDB refuses the writes of a term that is over.
 */
@Component
class InvoiceRun {

	private static final Logger logger = LoggerFactory.getLogger(InvoiceRun.class);

	private static final int INVOICES = 5;

	private final RunLog runs;

	private final FencedCollection invoices;

	private final Duration takes;

	InvoiceRun(RunLog runs, MongoOperations mongo, SampleProperties properties) {
		this.runs = runs;
		this.invoices = new FencedCollection(mongo, "invoices");
		this.takes = properties.invoices().takes();
	}

	@Scheduled(fixedDelayString = "${sample.invoices.every}")
	@LeaderOnly("invoice-run")
	void sendAll() {
		this.runs.record("invoice run", (leadership) -> {
			int invoice = 0;
			while (invoice < INVOICES && leadership.isHeld() && send(invoice, leadership)) {
				invoice++;
			}
			return invoice == INVOICES;
		});
	}

	/** Send an invoice, and record that unless a later leader has done so. */
	private boolean send(int invoice, Leadership leadership) throws InterruptedException {
		logger.debug("Sending invoice {} in term {}", invoice, leadership.term());
		Thread.sleep(this.takes.dividedBy(INVOICES).toMillis());
		try {
			return this.invoices.upsert(leadership, invoice, Update.update("sentAt", Instant.now())) == Outcome.APPLIED;
		}
		catch (LeadershipLostException | DataAccessException ex) {
			logger.warn("The invoice run ends early, since invoice {} can't be noted: {}", invoice, ex.getMessage());
			return false;
		}
	}

}
