package io.github.leaderelection.spring.bound;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;

/**
 * Components that record what is done with them, and fail when they are told to.
 */
public class Recorded implements Lifecycle {

	private final List<String> events = new CopyOnWriteArrayList<>();

	/** How many of the next starts fail. */
	final AtomicInteger failingStarts = new AtomicInteger();

	/** How many of the next stops fail. */
	final AtomicInteger failingStops = new AtomicInteger();

	private volatile boolean running;

	@Override
	public void start() {
		this.events.add("start");
		if (this.failingStarts.getAndUpdate((left) -> Math.max(left - 1, 0)) > 0) {
			throw new IllegalStateException("no broker at tcp://user:sec/ret@broker?password=secret\nINFO forged");
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.events.add("stop");
		if (this.failingStops.getAndUpdate((left) -> Math.max(left - 1, 0)) > 0) {
			throw new IllegalStateException("stuck");
		}
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	List<String> events() {
		return this.events;
	}

	/** Started by the context unless told not to. */
	public static class Smart extends Recorded implements SmartLifecycle {

		private volatile boolean autoStartup = true;

		@Override
		public boolean isAutoStartup() {
			return this.autoStartup;
		}

		public void setAutoStartup(boolean autoStartup) {
			this.autoStartup = autoStartup;
		}

	}

	/** Started by the context whatever it is told. */
	static class Wilful extends Recorded implements SmartLifecycle {

	}

}
