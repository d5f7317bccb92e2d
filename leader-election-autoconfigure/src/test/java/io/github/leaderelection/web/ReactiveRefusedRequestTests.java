package io.github.leaderelection.web;

/**
 * Runs {@link RefusedRequestTests} on Spring WebFlux.
 */
class ReactiveRefusedRequestTests extends RefusedRequestTests {

	ReactiveRefusedRequestTests() {
		super("reactive");
	}

}
