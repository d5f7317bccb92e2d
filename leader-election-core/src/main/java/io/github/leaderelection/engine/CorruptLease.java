package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the stored lease of one election, and whether that has been
 * reported: once, and again only if it has changed, or has come back. Somebody who
 * damages and repairs it all the time must not fill the log.
 */
final class CorruptLease {

	private static final EngineLog log = EngineLog.of(CorruptLease.class);

	/** How much time is between two reports at least. */
	static final Duration REPORT_INTERVAL = Duration.ofMinutes(1);

	private final String election;

	private final String candidateId;

	private volatile @Nullable String present;

	/** What has been reported of the present damage. */
	private @Nullable String reported;

	private @Nullable Moment reportedAt;

	CorruptLease(String election, String candidateId) {
		this.election = election;
		this.candidateId = candidateId;
	}

	/** Return what is wrong, {@code null} if nothing is. Called by any thread. */
	@Nullable String present() {
		return this.present;
	}

	void found(String damage, Moment now) {
		String text = StoredText.printable(damage);
		this.present = text;
		if (!text.equals(this.reported) && mayReport(now)) {
			this.reported = text;
			this.reportedAt = now;
			log.tell((logger) -> LogLines.about(this.election, this.candidateId, logger.atError())
				.log("The stored lease of election '{}' is damaged: {}. Nobody can be elected until it is repaired "
						+ "or removed; other elections go on", this.election, text));
		}
	}

	private boolean mayReport(Moment now) {
		Moment last = this.reportedAt;
		return last == null || now.nanos() - last.nanos() >= REPORT_INTERVAL.toNanos();
	}

	/** The lease is sound, or there is none. */
	void gone() {
		this.present = null;
		this.reported = null;
	}

}
