package io.github.leaderelection.spring.other;

import io.github.leaderelection.LeaderOnly;

/**
 * A bean that other class loaders can proxy.
 */
public class PublicJob {

	@LeaderOnly("job")
	public String run() {
		return "ran";
	}

}
