package io.github.leaderelection.web;

/**
 * Runs {@link RefusedRequestTests} on Spring MVC.
 */
class ServletRefusedRequestTests extends RefusedRequestTests {

	ServletRefusedRequestTests() {
		super("servlet");
	}

}
