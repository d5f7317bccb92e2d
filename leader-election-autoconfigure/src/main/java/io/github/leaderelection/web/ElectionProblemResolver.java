package io.github.leaderelection.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.AbstractHandlerExceptionResolver;

/**
 * Answers with status 503 and problem details when a Spring MVC handler of any kind fails
 * with {@link io.github.leaderelection.NotLeaderException},
 * {@link io.github.leaderelection.LeadershipLostException} or
 * {@link io.github.leaderelection.lock.LockUnavailableException}. Comes last, so the
 * application's own exception handling takes precedence.
 */
public class ElectionProblemResolver extends AbstractHandlerExceptionResolver {

	private final boolean exposeLeader;

	/**
	 * Create a resolver.
	 * @param exposeLeader whether to tell clients who leads
	 */
	public ElectionProblemResolver(boolean exposeLeader) {
		this.exposeLeader = exposeLeader;
		setOrder(Ordered.LOWEST_PRECEDENCE);
	}

	@Override
	protected @Nullable ModelAndView doResolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception failure) {
		Optional<ElectionProblem> problem = ElectionProblem.of(failure, this.exposeLeader);
		if (problem.isEmpty() || response.isCommitted()) {
			return null;
		}
		try {
			write(problem.get().toJson(), response);
		}
		catch (IOException ex) {
			this.logger.debug("The client has disconnected", ex);
		}
		return new ModelAndView();
	}

	private static void write(String json, HttpServletResponse response) throws IOException {
		byte[] body = json.getBytes(StandardCharsets.UTF_8);
		response.resetBuffer();
		// The handler may have set this for its own response.
		response.setHeader(HttpHeaders.CONTENT_ENCODING, null);
		response.setContentLength(body.length);
		response.setStatus(ElectionProblem.STATUS);
		response.setHeader(HttpHeaders.RETRY_AFTER, ElectionProblem.RETRY_AFTER);
		response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		response.setContentType(ElectionProblem.CONTENT_TYPE);
		try {
			response.getOutputStream().write(body);
		}
		catch (IllegalStateException ex) {
			// The handler had obtained the writer before it failed.
			response.getWriter().write(json);
		}
	}

}
