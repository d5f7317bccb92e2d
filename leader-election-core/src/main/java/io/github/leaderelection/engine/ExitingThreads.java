package io.github.leaderelection.engine;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds threads that have asked the JVM to exit. They wait for its shutdown hooks, and
 * never return: a hook that waits for their work would wait in vain.
 */
final class ExitingThreads {

	private ExitingThreads() {
	}

	static Set<Thread> among(Set<Thread> threads) {
		return threads.stream().filter(ExitingThreads::isExiting).collect(Collectors.toUnmodifiableSet());
	}

	private static boolean isExiting(Thread thread) {
		try {
			return Arrays.stream(thread.getStackTrace()).anyMatch(ExitingThreads::isExit);
		}
		catch (Throwable ex) {
			// Can't be asked: it is waited for, as long as for any other.
			return false;
		}
	}

	private static boolean isExit(StackTraceElement frame) {
		return frame.getClassName().equals(Runtime.class.getName()) && frame.getMethodName().equals("exit");
	}

}
