package io.github.leaderelection;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Counts the bytes that the current thread allocates.
 */
public final class AllocatedBytes {

	private static final int CALLS = 100_000;

	private AllocatedBytes() {
	}

	/**
	 * Make a call many times, after a first one that may allocate what is kept.
	 * @param call what to call; need not be compiled for the count to be right
	 * @return the bytes per call, rounded down: what the JVM itself allocates now and
	 * then is less than a byte each
	 */
	public static long perCall(Runnable call) {
		assumeThat(ManagementFactory.getThreadMXBean()).as("the beans of this JVM").isInstanceOf(ThreadMXBean.class);
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		assumeThat(threads.isThreadAllocatedMemorySupported()).as("this JVM counts allocated bytes").isTrue();
		threads.setThreadAllocatedMemoryEnabled(true);
		long thread = Thread.currentThread().getId();
		call.run();
		threads.getThreadAllocatedBytes(thread);
		long before = threads.getThreadAllocatedBytes(thread);
		for (int i = 0; i < CALLS; i++) {
			call.run();
		}
		return (threads.getThreadAllocatedBytes(thread) - before) / CALLS;
	}

}
