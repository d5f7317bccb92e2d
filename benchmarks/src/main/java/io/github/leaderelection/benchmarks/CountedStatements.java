package io.github.leaderelection.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Counts the statements of connections by their first word: each statement of a batch,
 * the end of a transaction, and calls that read or set its isolation.
 */
final class CountedStatements extends DelegatingDataSource {

	private final Consumer<String> count;

	CountedStatements(DataSource target, Consumer<String> count) {
		super(target);
		this.count = count;
	}

	@Override
	public Connection getConnection() throws SQLException {
		return counted(super.getConnection(), Connection.class, "");
	}

	private <T> T counted(T target, Class<T> type, String prepared) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> invoke(target, method, arguments, prepared)));
	}

	private @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments, String prepared)
			throws Throwable {
		String sql = (arguments != null && arguments[0] instanceof String text) ? text : prepared;
		switch (method.getName()) {
			case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "addBatch" ->
				this.count.accept(sql.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT));
			case "commit" -> this.count.accept("COMMIT");
			case "rollback" -> this.count.accept("ROLLBACK");
			case "getTransactionIsolation" -> this.count.accept("SHOW");
			case "setTransactionIsolation" -> this.count.accept("SET");
			default -> {
				// Sends nothing to the server.
			}
		}
		try {
			Object result = method.invoke(target, arguments);
			if (result instanceof PreparedStatement statement) {
				return counted(statement, PreparedStatement.class, sql);
			}
			return (result instanceof Statement statement) ? counted(statement, Statement.class, "") : result;
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
