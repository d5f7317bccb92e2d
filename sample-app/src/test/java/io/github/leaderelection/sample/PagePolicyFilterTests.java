package io.github.leaderelection.sample;

import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PagePolicyFilter}.
 */
class PagePolicyFilterTests {

	@Test
	void ownPageMayPressItsButtons() throws Exception {
		assertThat(statusFor("http://localhost:8080")).isEqualTo(200);
	}

	@Test
	void whoeverIsNoPageMayToo() throws Exception {
		assertThat(statusFor(null)).isEqualTo(200);
	}

	@Test
	void pagesOfOthersMayNot() throws Exception {
		for (String origin : new String[] { "http://evil.example", "http://localhost:8081", "null",
				"http://evil.example/localhost:8080" }) {
			assertThat(statusFor(origin)).as(origin).isEqualTo(403);
		}
	}

	private static int statusFor(String origin) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/elections/nightly-report/resign");
		request.addHeader("Host", "localhost:8080");
		if (origin != null) {
			request.addHeader("Origin", origin);
		}
		MockHttpServletResponse response = new MockHttpServletResponse();
		MockFilterChain chain = new MockFilterChain();
		new PagePolicyFilter().doFilter(request, response, chain);
		assertThat(chain.getRequest() != null).isEqualTo(response.getStatus() == 200);
		return response.getStatus();
	}

}
