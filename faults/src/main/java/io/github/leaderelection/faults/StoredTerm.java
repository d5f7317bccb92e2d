package io.github.leaderelection.faults;

/**
 * A term as recorded by the database.
 *
 * @param election the election
 * @param term the number of the term
 * @param holder the id of the candidate that took it
 * @param released whether the same candidate released it
 */
record StoredTerm(String election, long term, String holder, boolean released) {

	StoredTerm asReleased() {
		return new StoredTerm(this.election, this.term, this.holder, true);
	}

}
