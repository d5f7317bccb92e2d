package io.github.leaderelection.engine;

import java.util.Arrays;

/**
 * Finds threads that have asked the JVM to exit. They wait for its shutdown hooks, and
 * never return: a hook that waits for their work would wait in vain.
 */
final class ExitingThreads {

	private ExitingThreads() {
	}

	static boolean isExiting(Thread thread) {
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
