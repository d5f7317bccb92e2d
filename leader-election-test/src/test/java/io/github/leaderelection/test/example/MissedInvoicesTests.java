package io.github.leaderelection.test.example;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.leaderelection.JobRuns;
import io.github.leaderelection.test.LeadershipControl;
import io.github.leaderelection.test.WithLeadership;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

@SpringBootTest
class MissedInvoicesTests {

	@MockitoBean
	private Mailer mailer;

	@Autowired
	private JobRuns runs;

	@Autowired
	private LeadershipControl leadership;

	@Test
	@WithLeadership("invoices")
	void nextLeaderSendsWhatWasDueWhileNobodyLed() {
		this.runs.trigger("invoices", "Invoices.send"); // from now on there is a record
		verify(this.mailer, timeout(30_000)).send("A-2");
		this.leadership.revoke("invoices");
		Instant three = this.leadership.now().truncatedTo(ChronoUnit.DAYS).plus(27, ChronoUnit.HOURS);
		this.leadership.advanceTimeTo(three);
		this.leadership.grant("invoices");
		verify(this.mailer, timeout(30_000).times(2)).send("A-2");
	}

}
