package io.github.leaderelection.sample;

import java.time.Duration;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeaderOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job of many short steps that asks before each whether this instance still leads. That
 * way it stops in time even where no interrupt reaches it.
 */
@Component
class InvoiceRun {

	private static final Logger logger = LoggerFactory.getLogger(InvoiceRun.class);

	private static final int INVOICES = 5;

	private final RunLog runs;

	private final Duration takes;

	InvoiceRun(RunLog runs, SampleProperties properties) {
		this.runs = runs;
		this.takes = properties.invoices().takes();
	}

	@Scheduled(fixedDelayString = "${sample.invoices.every}")
	@LeaderOnly("invoice-run")
	void sendAll() {
		this.runs.record("invoice run", (leadership) -> {
			for (int invoice = 0; invoice < INVOICES && leadership.isHeld(); invoice++) {
				send(invoice, leadership);
			}
		});
	}

	/**
	 * Where the effect must not happen twice, whatever happens, the receiver should
	 * refuse a {@link Leadership#term() term} lower than the highest it has seen.
	 */
	private void send(int invoice, Leadership leadership) throws InterruptedException {
		logger.debug("Sending invoice {} in term {}", invoice, leadership.term());
		Thread.sleep(this.takes.dividedBy(INVOICES).toMillis());
	}

}
