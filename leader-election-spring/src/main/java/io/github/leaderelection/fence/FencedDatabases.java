package io.github.leaderelection.fence;

import org.jspecify.annotations.Nullable;

import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.util.ClassUtils;

/** Finds the databases of transaction managers, for the libraries on the class path. */
final class FencedDatabases {

	private static final boolean MONGO = isPresent("org.springframework.data.mongodb.MongoTransactionManager")
			&& isPresent("io.github.leaderelection.mongodb.TermFence");

	private static final boolean JDBC = isPresent("org.springframework.jdbc.datasource.DataSourceTransactionManager");

	private static final boolean JPA = JDBC && isPresent("org.springframework.orm.jpa.JpaTransactionManager");

	private FencedDatabases() {
	}

	/**
	 * Return the database of a manager.
	 * @param manager the manager
	 * @param table the name of the table for fences in a relational database
	 * @return the database, or {@code null} if its transactions can't be fenced
	 */
	static @Nullable FencedDatabase find(AbstractPlatformTransactionManager manager, String table) {
		if (MONGO && manager instanceof MongoTransactionManager mongo) {
			return new FencedMongoDatabase(mongo);
		}
		if (JDBC && manager instanceof DataSourceTransactionManager jdbc) {
			return new FencedJdbcDatabase(jdbc::getDataSource, table);
		}
		if (JPA && manager instanceof JpaTransactionManager jpa) {
			return new FencedJdbcDatabase(() -> showsConnection(jpa) ? jpa.getDataSource() : null, table) {

				/**
				 * The JPA provider rolls back a transaction that is marked rollback-only.
				 */
				@Override
				public boolean isRolledBack(TransactionExecution transaction) {
					return transaction instanceof DefaultTransactionStatus status && status.isGlobalRollbackOnly();
				}

				@Override
				public void flush(TransactionStatus transaction) {
					transaction.flush();
				}

			};
		}
		return null;
	}

	/**
	 * Return whether transactions expose their JDBC connection. Otherwise the fence would
	 * be passed on another one.
	 */
	private static boolean showsConnection(JpaTransactionManager manager) {
		return manager.getJpaDialect().getClass() != DefaultJpaDialect.class;
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, FencedDatabases.class.getClassLoader());
	}

}
