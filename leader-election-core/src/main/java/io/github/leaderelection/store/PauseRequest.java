package io.github.leaderelection.store;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What somebody asks of one process: to stand aside in an election, or to stand in it
 * again. Left in the store, at the heartbeat of that process, and seen by it with the
 * answer to its next beat. It stays there, is obeyed once, and means nothing from then
 * on.
 *
 * @param id tells it from all others
 * @param election the name of the election
 * @param paused whether to stand aside
 * @param by the id of the candidate through which it was asked for; for people to read
 */
public record PauseRequest(String id, String election, boolean paused, String by) {

	/**
	 * Return a request that is none of those before.
	 * @param election the name of the election
	 * @param paused whether to stand aside
	 * @param by the id of the candidate through which it is asked for
	 * @return the request
	 */
	public static PauseRequest of(String election, boolean paused, String by) {
		long unique = ThreadLocalRandom.current().nextLong();
		return new PauseRequest(HexFormat.of().toHexDigits(unique), election, paused, by);
	}

	/**
	 * Return what a message may quote: it may have been written by anybody.
	 */
	@Override
	public String toString() {
		return "PauseRequest[id=%s, election=%s, paused=%s, by=%s]".formatted(StoredText.printable(this.id),
				StoredText.printable(this.election), this.paused, StoredText.printable(this.by));
	}

}
