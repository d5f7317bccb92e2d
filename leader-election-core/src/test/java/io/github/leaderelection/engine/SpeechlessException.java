package io.github.leaderelection.engine;

/**
 * An exception that fails when it is asked what it is.
 */
final class SpeechlessException extends RuntimeException {

	@Override
	public String getMessage() {
		throw new IllegalStateException("no message, as the test wants");
	}

}
