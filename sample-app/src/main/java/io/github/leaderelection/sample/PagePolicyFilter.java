package io.github.leaderelection.sample;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Has browsers load nothing but what this instance serves, and refuse inline code; and
 * refuses what pages from elsewhere send, so that none can press the buttons.
 */
@Component
class PagePolicyFilter extends OncePerRequestFilter {

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
						+ "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
		response.setHeader("X-Content-Type-Options", "nosniff");
		response.setHeader("Referrer-Policy", "no-referrer");
		if (isFromElsewhere(request)) {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
			return;
		}
		chain.doFilter(request, response);
	}

	private static boolean isFromElsewhere(HttpServletRequest request) {
		String origin = request.getHeader("Origin");
		return origin != null && !origin.endsWith("://" + request.getHeader("Host"));
	}

}
