package io.github.leaderelection.store;

/**
 * A place where records of all kinds are kept, such as a database. This is what an
 * adapter offers: with it come elections, locks and recorded jobs.
 */
public interface RecordStores {

	/**
	 * Return where records of a kind are kept. Does no I/O.
	 * @param kind the kind
	 * @return the store; the same records each time
	 */
	RecordStore store(RecordKind kind);

	/**
	 * Tell people where that is, as in "database 'shop' of MongoDB". Does no I/O.
	 * @return a phrase, without any credentials
	 */
	String place();

}
