package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What one process announces about itself.
 *
 * @param id the candidate id
 * @param application the name of the application
 * @param host the name of the host
 * @param version the version of the application, if known
 * @param address where the process can be reached, if known
 * @param elections the elections it stands in; empty if they are too many to be listed,
 * and differ from those of the reader
 * @param seenAt when it was last announced, by the store's clock; {@code null} before
 * @param paused those of its elections in which it is paused
 */
public record CandidateRecord(String id, String application, String host, @Nullable String version,
		@Nullable String address, Set<String> elections, @Nullable Instant seenAt, Set<String> paused) {

	public CandidateRecord {
		elections = Set.copyOf(elections);
		paused = Set.copyOf(paused);
	}

	/**
	 * Return the same candidate with other elections.
	 * @param newElections the elections it stands in
	 * @param newPaused those in which it is paused
	 * @return the candidate
	 */
	public CandidateRecord standingIn(Set<String> newElections, Set<String> newPaused) {
		return new CandidateRecord(this.id, this.application, this.host, this.version, this.address, newElections,
				this.seenAt, newPaused);
	}

	/**
	 * Return whether the candidate stands in the election, and is not paused in it.
	 * @param election the election name
	 * @return whether it would lead
	 */
	public boolean isReadyFor(String election) {
		return this.elections.contains(election) && !this.paused.contains(election);
	}

	/**
	 * Return the same candidate as it may be shown: with texts that are fit for one line,
	 * and an address without credentials. The names of elections stay unchanged, so that
	 * they can be compared.
	 * @return the candidate
	 */
	public CandidateRecord printable() {
		return new CandidateRecord(StoredText.printable(this.id), StoredText.printable(this.application),
				StoredText.printable(this.host), StoredText.printableOrNull(this.version),
				(this.address != null) ? StoredText.printable(StoredText.masked(this.address)) : null, this.elections,
				this.seenAt, this.paused);
	}

}
