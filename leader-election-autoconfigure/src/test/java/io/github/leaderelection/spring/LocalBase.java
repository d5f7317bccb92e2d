package io.github.leaderelection.spring;

import io.github.leaderelection.LeaderOnly;

/**
 * A class with a method that only its own package can call, or override.
 */
public class LocalBase {

	@LeaderOnly("local")
	String local() {
		return "local";
	}

}
