package io.github.leaderelection.spring.other;

import io.github.leaderelection.LeaderOnly;

/**
 * What is public in a superclass that is not.
 */
class Tables {

	@LeaderOnly("tables")
	public String clean() {
		return "cleaned";
	}

	public String count() {
		return "counted";
	}

}
