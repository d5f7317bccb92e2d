package io.github.leaderelection.test.example;

import io.github.leaderelection.test.WithLeadership;
import io.github.leaderelection.test.WithoutLeadership;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(InvoicesController.class)
class InvoicesControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	@WithLeadership("invoices")
	void leaderCancels() {
		assertThat(this.mvc.post().uri("/invoices/A-1/cancel")).hasStatusOk();
	}

	@Test
	@WithoutLeadership("invoices")
	void followerAsksToTryAgain() {
		assertThat(this.mvc.post().uri("/invoices/A-1/cancel")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
	}

}
