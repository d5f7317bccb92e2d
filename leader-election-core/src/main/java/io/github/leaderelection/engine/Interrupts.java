package io.github.leaderelection.engine;

/**
 * Interrupts threads of the application, whatever they make of it.
 */
final class Interrupts {

	private Interrupts() {
	}

	/**
	 * Interrupt the thread.
	 * @return whether it is interrupted: a thread may do more than it is asked for, and
	 * fail
	 */
	static boolean interrupt(Thread thread) {
		try {
			thread.interrupt();
			return true;
		}
		catch (Throwable ex) {
			return isInterrupted(thread);
		}
	}

	private static boolean isInterrupted(Thread thread) {
		try {
			return thread.isInterrupted();
		}
		catch (Throwable ex) {
			return false;
		}
	}

}
