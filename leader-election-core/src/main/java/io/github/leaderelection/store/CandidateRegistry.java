package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;

/**
 * Where processes make known that they stand in elections. It informs people and decides
 * nothing.
 */
public interface CandidateRegistry {

	/**
	 * Enter the candidate, or replace its entry and mark it as seen now.
	 * @param candidate the candidate
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	void announce(CandidateRecord candidate, Duration timeout);

	/**
	 * Remove the candidate's entry if there is one.
	 * @param candidateId the id of the candidate
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	void remove(String candidateId, Duration timeout);

	/**
	 * Return the entries, those of crashed processes too until the store drops them. Of
	 * very many, and of what no process of ours has entered, some may be missing.
	 * @param timeout how long to wait at most, positive
	 * @return the candidates
	 * @throws LeaseStoreException if they could not be read
	 */
	List<CandidateRecord> findAll(Duration timeout);

	/**
	 * Return what was left out when the entries were read last, because it can't be
	 * understood. For people only; does no I/O.
	 * @return where it is and what is wrong with it, fit for one line each; of very many,
	 * some
	 */
	default List<String> damaged() {
		return List.of();
	}

}
