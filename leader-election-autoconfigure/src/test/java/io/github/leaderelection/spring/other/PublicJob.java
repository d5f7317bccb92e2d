package io.github.leaderelection.spring.other;

import java.util.function.Supplier;

import io.github.leaderelection.LeaderOnly;

/**
 * A bean that other class loaders can proxy.
 */
public class PublicJob implements Supplier<String> {

	@Override
	@LeaderOnly("job")
	public String get() {
		return "ran";
	}

}
