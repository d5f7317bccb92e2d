package io.github.leaderelection.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Builds the list of terms from the changes of the leases, in their order.
 */
final class StoredTerms {

	private final List<StoredTerm> terms = new ArrayList<>();

	private final Map<String, Integer> last = new HashMap<>();

	/**
	 * Add a term that was taken.
	 * @param session the session that holds it, or {@code null} if that has not changed
	 */
	void taken(String election, long term, @Nullable String session) {
		String holder = (session != null) ? session.substring(0, session.lastIndexOf('#')) : last(election).holder();
		this.last.put(election, this.terms.size());
		this.terms.add(new StoredTerm(election, term, holder, false));
	}

	/** Record that the last term was released. */
	void released(String election) {
		this.terms.set(this.last.get(election), last(election).asReleased());
	}

	/** Return whether the last term has this number. */
	boolean isLast(String election, long term) {
		return this.last.containsKey(election) && last(election).term() == term;
	}

	private StoredTerm last(String election) {
		return this.terms.get(this.last.get(election));
	}

	List<StoredTerm> all() {
		return this.terms;
	}

}
