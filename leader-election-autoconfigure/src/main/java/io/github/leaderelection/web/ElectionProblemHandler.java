package io.github.leaderelection.web;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

/**
 * Answers with status 503 and problem details when a Spring WebFlux handler of any kind
 * fails with {@link io.github.leaderelection.NotLeaderException},
 * {@link io.github.leaderelection.LeadershipLostException} or
 * {@link io.github.leaderelection.lock.LockUnavailableException}. Precedes Spring Boot's
 * own error handler. The exception handlers of controllers and routes precede both.
 */
public class ElectionProblemHandler implements WebExceptionHandler, Ordered {

	private static final Logger logger = LoggerFactory.getLogger(ElectionProblemHandler.class);

	private final boolean exposeLeader;

	/**
	 * Create a handler.
	 * @param exposeLeader whether to tell clients who leads
	 */
	public ElectionProblemHandler(boolean exposeLeader) {
		this.exposeLeader = exposeLeader;
	}

	/** Spring Boot's own handler has order -1. */
	@Override
	public int getOrder() {
		return -2;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
		Optional<ElectionProblem> problem = ElectionProblem.of(failure, this.exposeLeader);
		ServerHttpResponse response = exchange.getResponse();
		if (problem.isEmpty() || !response.setStatusCode(HttpStatusCode.valueOf(ElectionProblem.STATUS))) {
			return Mono.error(failure);
		}
		logger.debug("Answered with status {}: {}", ElectionProblem.STATUS, failure.getMessage());
		HttpHeaders headers = response.getHeaders();
		headers.setContentType(MediaType.parseMediaType(ElectionProblem.CONTENT_TYPE));
		headers.setCacheControl(CacheControl.noStore());
		headers.set(HttpHeaders.RETRY_AFTER, ElectionProblem.RETRY_AFTER);
		byte[] json = problem.get().toJson().getBytes(StandardCharsets.UTF_8);
		headers.setContentLength(json.length);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(json)));
	}

}
