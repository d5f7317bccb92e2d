package io.github.leaderelection.test.example;

import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.test.LeadershipControl;
import io.github.leaderelection.test.WithLeadership;
import io.github.leaderelection.test.WithoutLeadership;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

@SpringBootTest
class InvoicesTests {

	@MockitoBean
	private Mailer mailer;

	@Autowired
	private Invoices invoices;

	@Autowired
	private LeadershipControl leadership;

	@Test
	@WithLeadership("invoices")
	void leaderSendsAll() {
		this.invoices.send();
		verify(this.mailer).send("A-1");
		verify(this.mailer).send("A-2");
	}

	@Test
	@WithoutLeadership("invoices")
	void followerSendsNothing() {
		this.invoices.send();
		verifyNoInteractions(this.mailer);
	}

	@Test
	@WithLeadership("invoices")
	void leaderStopsWhenItsLeaseRunsOutHalfway() {
		willAnswer((call) -> {
			this.leadership.expire("invoices");
			return null;
		}).given(this.mailer).send("A-1");
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(this.invoices::send);
		verify(this.mailer, never()).send("A-2");
	}

}
