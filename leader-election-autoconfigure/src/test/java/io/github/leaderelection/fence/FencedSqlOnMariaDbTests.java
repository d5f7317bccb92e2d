package io.github.leaderelection.fence;

import java.util.stream.Stream;

import io.github.leaderelection.jdbc.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The same tests on MariaDB. At {@code REPEATABLE READ}, its default, a transaction keeps
 * seeing the data of its first read, unless it locks.
 */
@Tag("deep")
class FencedSqlOnMariaDbTests extends FencedSqlTests {

	FencedSqlOnMariaDbTests(Setup setup) {
		super(setup);
	}

	@BeforeAll
	static void startMariaDb() throws Exception {
		mariaDb = MariaDbServer.start();
	}

	@AfterAll
	static void stopMariaDb() throws Exception {
		mariaDb.close();
	}

	static Stream<Setup> setups() {
		return Stream.concat(
				setups(Database.MARIADB, "TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ",
						"TRANSACTION_SERIALIZABLE"),
				setups(Database.MARIADB_WITH_SNAPSHOTS, "TRANSACTION_REPEATABLE_READ"));
	}

}
