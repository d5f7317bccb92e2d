package io.github.leaderelection.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

/**
 * Creates a data source from a test's supplier of connections.
 */
final class LendingDataSource {

	private LendingDataSource() {
	}

	static DataSource of(Callable<Connection> connections) {
		return (DataSource) Proxy.newProxyInstance(DataSource.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> connections.call());
	}

}
