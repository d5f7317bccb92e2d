package io.github.leaderelection.sample;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PagePolicyFilter}.
 */
class PagePolicyFilterTests {

	private static final SampleProperties.Report REPORT = new SampleProperties.Report("-", Duration.ZERO);

	private static final SampleProperties.Job INVOICES = new SampleProperties.Job(Duration.ZERO, Duration.ZERO);

	@Test
	void ownOriginIsAllowed() throws Exception {
		assertThat(statusFor("http://localhost:8080")).isEqualTo(200);
	}

	@Test
	void requestWithoutOriginIsAllowed() throws Exception {
		assertThat(statusFor(null)).isEqualTo(200);
	}

	@Test
	void foreignOriginIsRefused() throws Exception {
		for (String origin : new String[] { "http://evil.example", "http://localhost:8081", "null",
				"http://evil.example/localhost:8080" }) {
			assertThat(statusFor(origin)).as(origin).isEqualTo(403);
		}
	}

	@Test
	void ownHostNameIsAllowed() throws Exception {
		for (String host : new String[] { "localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]:8080", "[::1]",
				"sample.example:80", "Sample.Example" }) {
			assertThat(statusFor(host, null)).as(host).isEqualTo(200);
		}
	}

	/** To the browser, such a page has the same origin as this one. */
	@Test
	void foreignHostNameIsRefused() throws Exception {
		for (String host : new String[] { "evil.example:8080", "evil.example", "localhost.evil.example",
				"127.0.0.1.evil", "localhost:8080:80", "[::2]", "", "sample.example@evil.example" }) {
			assertThat(statusFor(host, "http://" + host)).as(host).isEqualTo(403);
		}
		assertThat(statusFor(null, null)).isEqualTo(403);
	}

	private static int statusFor(String origin) throws Exception {
		return statusFor("localhost:8080", origin);
	}

	private static int statusFor(String host, String origin) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/elections/nightly-report/resign");
		if (host != null) {
			request.addHeader("Host", host);
		}
		if (origin != null) {
			request.addHeader("Origin", origin);
		}
		MockHttpServletResponse response = new MockHttpServletResponse();
		MockFilterChain chain = new MockFilterChain();
		new PagePolicyFilter(new SampleProperties(REPORT, INVOICES, List.of("Sample.example"))).doFilter(request,
				response, chain);
		assertThat(chain.getRequest() != null).isEqualTo(response.getStatus() == 200);
		return response.getStatus();
	}

}
