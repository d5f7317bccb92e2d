package io.github.leaderelection.sample;

import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Makes browsers load only what this instance serves, and no inline code. Refuses
 * requests of pages from elsewhere, so they can't press the buttons. Such a page could
 * also resolve its own name to this instance: only names known to belong to this instance
 * are answered, those of the loopback interface and {@link SampleProperties#hosts()}.
 */
@Component
class PagePolicyFilter extends OncePerRequestFilter {

	private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

	private static final Pattern PORT = Pattern.compile(":\\d*$");

	private final Set<String> hosts = new HashSet<>(LOOPBACK);

	PagePolicyFilter(SampleProperties properties) {
		properties.hosts().forEach((host) -> this.hosts.add(host.toLowerCase(Locale.ROOT)));
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
						+ "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
		response.setHeader("X-Content-Type-Options", "nosniff");
		response.setHeader("Referrer-Policy", "no-referrer");
		if (!isKnown(request.getHeader("Host")) || isFromElsewhere(request)) {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
			return;
		}
		chain.doFilter(request, response);
	}

	private boolean isKnown(@Nullable String host) {
		return host != null && this.hosts.contains(PORT.matcher(host).replaceFirst("").toLowerCase(Locale.ROOT));
	}

	private static boolean isFromElsewhere(HttpServletRequest request) {
		String origin = request.getHeader("Origin");
		return origin != null && !origin.endsWith("://" + request.getHeader("Host"));
	}

}
