package io.github.leaderelection.benchmarks;

import java.lang.management.ManagementFactory;

/**
 * The heap of this JVM.
 */
final class Heap {

	private static final int COLLECTIONS = 5;

	private Heap() {
	}

	/**
	 * Return how many bytes are in use after garbage collection.
	 */
	static long used() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < COLLECTIONS; i++) {
			ManagementFactory.getMemoryMXBean().gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

}
