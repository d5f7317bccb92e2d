package io.github.leaderelection.faults;

/**
 * A term as the database has recorded it.
 *
 * @param election the election
 * @param term its number
 * @param holder the id of the candidate that took it
 * @param released whether the same candidate gave it back
 */
record StoredTerm(String election, long term, String holder, boolean released) {

	StoredTerm asReleased() {
		return new StoredTerm(this.election, this.term, this.holder, true);
	}

}
