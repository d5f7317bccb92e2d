package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What one process makes known of itself.
 *
 * @param id the candidate id
 * @param application the name of the application
 * @param host the name of the host
 * @param pid the process id on that host
 * @param version the version of the application, if known
 * @param address where the process can be reached, if known
 * @param elections the elections it stands in
 * @param startedAt when it was first announced, by the store's clock; {@code null} before
 * @param seenAt when it was last announced, by the store's clock; {@code null} before
 */
public record CandidateRecord(String id, String application, String host, long pid, @Nullable String version,
		@Nullable String address, Set<String> elections, @Nullable Instant startedAt, @Nullable Instant seenAt) {

	public CandidateRecord {
		elections = Set.copyOf(elections);
	}

	/**
	 * Return the same candidate with other elections.
	 * @param newElections the elections it stands in
	 * @return the candidate
	 */
	public CandidateRecord standingIn(Set<String> newElections) {
		return new CandidateRecord(this.id, this.application, this.host, this.pid, this.version, this.address,
				newElections, this.startedAt, this.seenAt);
	}

	/**
	 * Return the same candidate as it may be shown: with texts that are fit for one line,
	 * and an address without credentials. The names of elections stay, to be compared.
	 * @return the candidate
	 */
	public CandidateRecord printable() {
		return new CandidateRecord(StoredText.printable(this.id), StoredText.printable(this.application),
				StoredText.printable(this.host), this.pid, StoredText.printableOrNull(this.version),
				(this.address != null) ? StoredText.printable(MaskedAddress.of(this.address)) : null, this.elections,
				this.startedAt, this.seenAt);
	}

	@Override
	public String toString() {
		CandidateRecord shown = printable();
		return "CandidateRecord[id=%s, application=%s, host=%s, pid=%d, version=%s, address=%s, elections=%s, startedAt=%s, seenAt=%s]"
			.formatted(shown.id, shown.application, shown.host, shown.pid, shown.version, shown.address,
					shown.elections.stream().map(StoredText::printable).sorted().toList(), shown.startedAt,
					shown.seenAt);
	}

}
