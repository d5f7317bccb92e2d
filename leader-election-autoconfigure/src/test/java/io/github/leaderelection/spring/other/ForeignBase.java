package io.github.leaderelection.spring.other;

import io.github.leaderelection.LeaderOnly;

/**
 * A class of another package, with a method that only its own package can call.
 */
public class ForeignBase {

	@LeaderOnly("foreign")
	void local() {
	}

}
