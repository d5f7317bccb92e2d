package io.github.leaderelection.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.lock.LockLostException;
import io.github.leaderelection.lock.LockUnavailableException;
import io.github.leaderelection.store.StoredText;

import org.springframework.boot.json.JsonWriter;

/**
 * The answer to a client that this instance can't serve because it lacks leadership or a
 * lock, as problem details for HTTP APIs (RFC 9457). Does not use the application's JSON
 * library, whose output the application may have customized.
 *
 * @param members the members of the JSON object
 */
record ElectionProblem(Map<String, Object> members) {

	static final int STATUS = 503;

	static final String CONTENT_TYPE = "application/problem+json";

	/** In seconds: another instance may answer at once, a handover takes no longer. */
	static final String RETRY_AFTER = "1";

	private static final JsonWriter<Map<String, Object>> JSON = JsonWriter.standard();

	private static final String TYPE = "tag:leaderelection.github.io,2026:";

	/**
	 * Find the problem behind an exception.
	 * @param failure the exception
	 * @param exposeLeader whether to tell who leads
	 * @return the problem, or empty if the exception is not one of leader election
	 */
	static Optional<ElectionProblem> of(Throwable failure, boolean exposeLeader) {
		if (failure instanceof NotLeaderException refused) {
			ElectionProblem problem = ofElection("not-leader", "Not the leader",
					"This instance does not lead election '%s'. Try again.", refused.getElection());
			if (exposeLeader) {
				refused.getLeader().ifPresent((leader) -> problem.members.put("leader", leader));
				// Leave out an address that contains credentials.
				refused.getLeaderAddress()
					.filter((address) -> address.equals(StoredText.masked(address)))
					.ifPresent((address) -> problem.members.put("address", address));
			}
			return Optional.of(problem);
		}
		// Do not tell clients the names of locks: they are chosen at run time, and may be
		// those of customers, for example.
		if (failure instanceof LockLostException) {
			return Optional.of(new ElectionProblem("lock-lost", "Lock lost",
					"A lock was lost while this instance served the request. Try again."));
		}
		if (failure instanceof LockUnavailableException) {
			return Optional.of(new ElectionProblem("lock-unavailable", "Lock unavailable",
					"A lock that the request needs could not be acquired in time. Try again."));
		}
		if (failure instanceof LeadershipLostException lost) {
			return Optional.of(ofElection("leadership-lost", "Leadership lost",
					"This instance lost leadership of election '%s' while it served the request. Try again.",
					lost.getElection()));
		}
		return Optional.empty();
	}

	private static ElectionProblem ofElection(String type, String title, String detail, String election) {
		ElectionProblem problem = new ElectionProblem(type, title, detail.formatted(election));
		problem.members.put("election", election);
		return problem;
	}

	private ElectionProblem(String type, String title, String detail) {
		this(new LinkedHashMap<>());
		this.members.put("type", TYPE + type);
		this.members.put("title", title);
		this.members.put("status", STATUS);
		this.members.put("detail", detail);
	}

	/** Return JSON that is safe in any encoding, and if it is taken for HTML. */
	String toJson() {
		StringBuilder json = new StringBuilder();
		JSON.writeToString(this.members).chars().forEach((character) -> {
			if (character > 0x7e || character == '<' || character == '>') {
				json.append("\\u%04x".formatted(character));
			}
			else {
				json.append((char) character);
			}
		});
		return json.toString();
	}

}
