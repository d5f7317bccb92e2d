package io.github.leaderelection.store;

/**
 * A place where records of all kinds are kept, such as a database. This is what an
 * adapter provides; elections, locks and recorded jobs are built on it.
 */
public interface RecordStores {

	/**
	 * Return where records of a kind are kept. Does no I/O.
	 * @param kind the kind
	 * @return the store; the same records each time
	 */
	RecordStore store(RecordKind kind);

	/**
	 * Describe the place, as in "database 'shop' of MongoDB". Does no I/O.
	 * @return a phrase for people, without any credentials
	 */
	String place();

}
