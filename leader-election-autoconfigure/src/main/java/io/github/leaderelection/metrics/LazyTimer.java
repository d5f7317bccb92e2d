package io.github.leaderelection.metrics;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * A timer that is registered with the first that it records: most of what can happen
 * never does in most processes. Safe for use by any thread.
 */
final class LazyTimer {

	private final Timer.Builder builder;

	private final MeterRegistry registry;

	private volatile @Nullable Timer timer;

	private boolean removed;

	LazyTimer(Timer.Builder builder, MeterRegistry registry) {
		this.builder = builder;
		this.registry = registry;
	}

	void record(long nanos) {
		Timer present = this.timer;
		if (present == null) {
			present = register();
		}
		if (present != null) {
			present.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	private synchronized @Nullable Timer register() {
		if (this.timer == null && !this.removed) {
			this.timer = this.builder.register(this.registry);
		}
		return this.timer;
	}

	/** Remove it from the registry, and record nothing any more. */
	synchronized void remove() {
		Timer present = this.timer;
		this.removed = true;
		if (present != null) {
			this.registry.remove(present);
		}
	}

}
