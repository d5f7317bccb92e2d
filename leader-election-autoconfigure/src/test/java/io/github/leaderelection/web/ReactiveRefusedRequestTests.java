package io.github.leaderelection.web;

import org.junit.jupiter.api.Tag;

/**
 * Runs {@link RefusedRequestTests} on Spring WebFlux.
 */
@Tag("deep")
class ReactiveRefusedRequestTests extends RefusedRequestTests {

	ReactiveRefusedRequestTests() {
		super("reactive");
	}

}
