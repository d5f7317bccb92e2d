package io.github.leaderelection.test.slice;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.test.LeadershipControl;
import io.github.leaderelection.test.WithLeadership;
import io.github.leaderelection.test.WithoutLeadership;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code @LeaderOnly} and the test kit in a slice of Spring MVC, where there is no store.
 */
class WebMvcSliceTests {

	/** A slice has no listeners, though the application's configuration names them. */
	private static final String COMPONENT = "leader-election.elections.invoices.components=invoice-listener";

	@Nested
	@WebMvcTest(properties = COMPONENT)
	class Alone {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void thisProcessLeads() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatusOk().hasBodyTextEqualTo("invoices");
		}

	}

	@Nested
	@WebMvcTest
	@TestPropertySource(properties = { "leader-election.enabled=true", "leader-election.when-disabled=skip" })
	class Skipping {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void nobodyLeads() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatus(503);
		}

	}

	@Nested
	@WebMvcTest(properties = COMPONENT)
	class Controlled {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private LeadershipControl leadership;

		@Test
		@WithLeadership("invoices")
		void leaderServes() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatusOk().hasBodyTextEqualTo("invoices");
			this.leadership.revoke("invoices");
			assertThat(this.mvc.get().uri("/cancel")).hasStatus(503);
		}

		@Test
		@WithoutLeadership("invoices")
		void followerAsksToTryAgain() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatus(503)
				.hasContentType("application/problem+json")
				.bodyJson()
				.extractingPath("$.election")
				.isEqualTo("invoices");
		}

	}

	@Nested
	@WebMvcTest
	class Mocked {

		@Autowired
		private MockMvcTester mvc;

		@MockitoBean
		private LeaderElection elections;

		@Test
		void mockTakesThePlaceOfTheEngine() {
			assertThat(this.mvc.get().uri("/missing")).hasStatus(404);
			assertThat(this.elections.elections()).isEmpty();
		}

	}

}
