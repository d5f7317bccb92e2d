package io.github.leaderelection.test.slice;

import io.github.leaderelection.test.WithLeadership;
import io.github.leaderelection.test.WithoutLeadership;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.WebTestClient;

/**
 * {@code @LeaderOnly} and the test kit in a slice of Spring WebFlux, where there is no
 * store.
 */
class WebFluxSliceTests {

	@Nested
	@WebFluxTest
	class Alone {

		@Autowired
		private WebTestClient client;

		@Test
		void thisProcessLeads() {
			this.client.get()
				.uri("/cancel")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody(String.class)
				.isEqualTo("invoices");
		}

	}

	@Nested
	@WebFluxTest
	class Controlled {

		@Autowired
		private WebTestClient client;

		@Test
		@WithLeadership("invoices")
		void leaderServes() {
			this.client.get()
				.uri("/cancel")
				.exchange()
				.expectStatus()
				.isOk()
				.expectBody(String.class)
				.isEqualTo("invoices");
		}

		@Test
		@WithoutLeadership("invoices")
		void followerAsksToTryAgain() {
			this.client.get()
				.uri("/cancel")
				.exchange()
				.expectStatus()
				.isEqualTo(503)
				.expectBody()
				.jsonPath("$.election")
				.isEqualTo("invoices");
		}

	}

}
