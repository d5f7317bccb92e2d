package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.StoredText;

/**
 * The documents of a collection that were left out when it was read last, since they
 * can't be understood. Each is told of once, and again if it has changed, or has come
 * back. Somebody who damages and repairs them all the time must not fill the log.
 */
final class LeftOut {

	private static final EngineLog log = EngineLog.of(LeftOut.class);

	/** Of very many, these show what is wrong. */
	private static final int MOST = 5;

	private static final Duration PAUSE = Duration.ofMinutes(1);

	private volatile List<String> present = List.of();

	private Set<String> told = Set.of();

	/** When to tell of more at the earliest; monotonic time. */
	private long next = System.nanoTime();

	static String describe(StoredDocument document, DamagedDocumentException damage) {
		String id = document.id();
		return "%s: %s".formatted((id != null) ? "document '%s'".formatted(StoredText.printable(id))
				: "a document without a readable _id", damage.getMessage());
	}

	/** Return them, each with where it is and what is wrong with it. */
	List<String> present() {
		return this.present;
	}

	/**
	 * The collection was read.
	 * @param damaged the {@linkplain #describe descriptions} of what was left out
	 */
	synchronized void found(String collection, List<String> damaged) {
		Set<String> before = this.told;
		List<String> some = damaged.stream().distinct().limit(MOST).toList();
		this.present = some.stream().map((each) -> "'%s', %s".formatted(collection, each)).toList();
		long now = System.nanoTime();
		if (before.containsAll(some) || now - this.next < 0) {
			this.told = Set.copyOf(some.stream().filter(before::contains).toList());
			return;
		}
		this.told = Set.copyOf(some);
		this.next = now + PAUSE.toNanos();
		log.tell((logger) -> logger
			.warn("Left out of '{}' what can't be understood: {}. Elections go on as if it were not there. "
					+ "Repair it, or remove it", collection, String.join("; ", some)));
	}

}
