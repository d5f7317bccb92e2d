package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * The database of a transaction manager, which keeps the fences of its transactions. All
 * methods but {@link #open} may call it, and throw what Spring's templates throw.
 */
interface FencedDatabase {

	/** Return whether the calling thread has a transaction there. */
	boolean inTransaction();

	/**
	 * Let no transaction of an earlier leader commit any more. Is no part of a
	 * transaction of the calling thread, and may be called during one.
	 * @throws io.github.leaderelection.LeadershipLostException if a later leader is known
	 * to have done so
	 */
	void raise(Leadership leadership);

	/** Return the way through the fence for the current transaction. */
	Passage open(Leadership leadership);

	/**
	 * Require that there can be fences.
	 * @throws UnusableFenceException if it is known that there can't
	 */
	void requireUsable();

	/**
	 * Return the database of a manager.
	 * @param manager the manager
	 * @param table the name of the table for fences in a relational database
	 * @return the database, or {@code null} if its transactions can't be fenced
	 */
	static @Nullable FencedDatabase of(AbstractPlatformTransactionManager manager, String table) {
		if (Present.MONGO && manager instanceof MongoTransactionManager mongo) {
			return new FencedMongoDatabase(mongo);
		}
		if (Present.JDBC && manager instanceof DataSourceTransactionManager jdbc) {
			return new FencedJdbcDatabase(jdbc::getDataSource, table);
		}
		if (Present.JPA && manager instanceof JpaTransactionManager jpa) {
			return new FencedJdbcDatabase(jpa::getDataSource, table);
		}
		return null;
	}

	/**
	 * The way of one transaction through the fence, to be closed when it has ended.
	 */
	interface Passage extends AutoCloseable {

		/**
		 * Pass the fence, as part of the transaction, so that a later leader that raises
		 * it waits for the end of the transaction.
		 * @throws io.github.leaderelection.LeadershipLostException if a later leader has
		 * raised it; the transaction must be rolled back
		 */
		void pass();

		@Override
		default void close() {
		}

	}

	/** What the application has brought along. */
	final class Present {

		private static final boolean MONGO = isPresent("org.springframework.data.mongodb.MongoTransactionManager")
				&& isPresent("io.github.leaderelection.mongodb.TermFence");

		private static final boolean JDBC = isPresent(
				"org.springframework.jdbc.datasource.DataSourceTransactionManager");

		private static final boolean JPA = JDBC && isPresent("org.springframework.orm.jpa.JpaTransactionManager");

		private Present() {
		}

		private static boolean isPresent(String name) {
			return ClassUtils.isPresent(name, FencedDatabase.class.getClassLoader());
		}

	}

}
