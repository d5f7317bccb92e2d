package io.github.leaderelection.engine;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run once a term has ended: once, however often it is handed over.
 */
final class LossCallback implements Runnable {

	private static final EngineLog log = EngineLog.of(LossCallback.class);

	private final AtomicReference<@Nullable Consumer<LossReason>> callback;

	private final Term term;

	LossCallback(Consumer<LossReason> callback, Term term) {
		this.callback = new AtomicReference<>(callback);
		this.term = term;
	}

	/** Run nothing, even if it has been handed over. */
	void forget() {
		this.callback.set(null);
	}

	@Override
	public void run() {
		Consumer<LossReason> owed = this.callback.getAndSet(null);
		if (owed == null) {
			return;
		}
		try {
			this.term.lossReason().ifPresent(owed);
		}
		catch (Throwable ex) {
			log.tell(ex, (logger, cause) -> LogLines.about(this.term, logger.atError())
				.setCause(cause)
				.log("A callback for the end of '{}', term {}, has failed", this.term.election(), this.term.term()));
		}
	}

}
