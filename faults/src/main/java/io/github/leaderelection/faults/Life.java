package io.github.leaderelection.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one process of a candidate has written from its start to its end.
 */
final class Life {

	private final String name;

	private final Map<String, TermHistory> terms = new TreeMap<>();

	private final Map<String, String> lossReasons = new HashMap<>();

	private final List<Callback> callbacks = new ArrayList<>();

	private final List<String> oddities = new ArrayList<>();

	private String candidateId = "";

	private long ttlNanos;

	private boolean closed;

	private Life(String name) {
		this.name = name;
	}

	/**
	 * Read the lines that a {@link HistoryWriter} has written.
	 * @param name the name of the candidate and the number of its life, such as
	 * {@code c1-007}
	 */
	static Life parse(String name, Iterable<String> lines) {
		Life life = new Life(name);
		lines.forEach(life::add);
		return life;
	}

	private void add(String line) {
		String[] words = line.split(" ", -1);
		long at = Long.parseLong(words[0]);
		switch (words[1]) {
			case "process" -> {
				this.candidateId = words[2];
				this.ttlNanos = Long.parseLong(words[3]) * 1_000_000;
			}
			case "elected" -> callback(words, true);
			case "defeated" -> {
				callback(words, false);
				this.lossReasons.put(words[2] + " " + words[3], words[4]);
			}
			case "held" -> term(words).held(Long.parseLong(words[4]), at);
			case "call" -> {
				// It entered the gate between these two times.
				term(words).held(Long.parseLong(words[4]), at);
				term(words).callBegun(at);
			}
			case "done" -> term(words).callDone(at);
			case "closed" -> this.closed = true;
			case "ended", "interrupted", "resigns" -> {
				// Not needed here.
			}
			default -> this.oddities.add(this.name + ": " + line);
		}
	}

	private void callback(String[] words, boolean elected) {
		this.callbacks.add(new Callback(words[2], Long.parseLong(words[3]), elected, this.closed));
	}

	private TermHistory term(String[] words) {
		return this.terms.computeIfAbsent(words[2] + " " + words[3],
				(key) -> new TermHistory(words[2], Long.parseLong(words[3]), this));
	}

	String name() {
		return this.name;
	}

	/** Return the name of the candidate, which is the same in all its lives. */
	String candidate() {
		return this.name.split("-", -1)[0];
	}

	String candidateId() {
		return this.candidateId;
	}

	long ttlNanos() {
		return this.ttlNanos;
	}

	/** Return whether the application has closed gracefully. */
	boolean isClosed() {
		return this.closed;
	}

	Collection<TermHistory> terms() {
		return this.terms.values();
	}

	/** Return the recorded reason why a term ended, or an empty string. */
	String lossReason(String election, long term) {
		return this.lossReasons.getOrDefault(election + " " + term, "");
	}

	List<Callback> callbacks() {
		return this.callbacks;
	}

	/** Return lines that should never be written, such as a term that was revived. */
	List<String> oddities() {
		return this.oddities;
	}

	/**
	 * A callback of a candidate.
	 *
	 * @param election the election
	 * @param term the term
	 * @param elected whether it was elected, otherwise it was defeated
	 * @param afterClose whether the application had closed already
	 */
	record Callback(String election, long term, boolean elected, boolean afterClose) {

	}

}
