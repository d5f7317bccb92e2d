package io.github.leaderelection.job;

import java.util.function.Consumer;

import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Something that may be wrong for a while. The log tells when that begins and when it is
 * over, and nothing in between.
 */
final class Problem {

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

	private volatile @Nullable String present;

	/** Return what is wrong, {@code null} if nothing is. */
	@Nullable String present() {
		return this.present;
	}

	/**
	 * Take note of what is wrong.
	 * @param line tells of it, unless something was wrong before
	 */
	void begins(String what, Consumer<Logger> line) {
		boolean known = this.present != null;
		this.present = what;
		if (!known) {
			log.tell(line);
		}
	}

	/** Take note that nothing is wrong, which is worth no line. */
	void ends() {
		this.present = null;
	}

	/**
	 * Take note that nothing is wrong.
	 * @param line tells of it, if something was
	 */
	void ends(Consumer<Logger> line) {
		boolean known = this.present != null;
		this.present = null;
		if (known) {
			log.tell(line);
		}
	}

}
