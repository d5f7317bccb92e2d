package io.github.leaderelection.fence;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Date;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.jdbc.MariaDbServer;
import io.github.leaderelection.spring.TestGate;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

/**
 * Tests for transactions of relational databases that are fenced, on real ones. The gate
 * believes in the term that the test gives it; a later leader writes on connections of
 * its own, as another process would.
 */
@ParameterizedClass
@MethodSource("setups")
class FencedSqlTests {

	private static final Runnable NOTHING = () -> {
	};

	private static EmbeddedPostgres postgres;

	/** Where that is tested. */
	static MariaDbServer mariaDb;

	private final Setup setup;

	private final HikariDataSource dataSource;

	private final HikariDataSource others;

	private final JdbcTemplate sql;

	FencedSqlTests(Setup setup) {
		this.setup = setup;
		String url = setup.database().url();
		// As some do for Hibernate
		this.dataSource = pool(url, setup.access() == Access.JDBC);
		this.others = pool(url, true);
		this.sql = new JdbcTemplate(this.others);
		this.sql.execute("CREATE TABLE accounts (id VARCHAR(10) PRIMARY KEY, balance INT NOT NULL)");
		this.sql.execute("CREATE TABLE log (text VARCHAR(10) PRIMARY KEY)");
		this.sql.execute(createTable(setup.database()));
		this.sql.execute("INSERT INTO accounts VALUES ('a', 0)");
	}

	/** As the page and the message say. */
	private static String createTable(Database database) {
		String type = switch (database) {
			case H2 -> "VARCHAR(1024)";
			case POSTGRESQL -> "VARCHAR(1024) COLLATE \"C\"";
			default -> "VARCHAR(768) COLLATE utf8mb4_nopad_bin";
		};
		return "CREATE TABLE leader_election_fence (id %s PRIMARY KEY, term BIGINT NOT NULL)".formatted(type);
	}

	static Stream<Setup> setups() {
		return Stream.of(Database.H2, Database.POSTGRESQL)
			.flatMap((database) -> setups(database, "TRANSACTION_READ_COMMITTED", "TRANSACTION_SERIALIZABLE"));
	}

	static Stream<Setup> setups(Database database, String... isolations) {
		return Stream.of(Access.values())
			.flatMap((access) -> Stream.of(isolations).map((isolation) -> new Setup(database, access, isolation)));
	}

	private HikariDataSource pool(String url, boolean committing) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setTransactionIsolation(this.setup.isolation());
		config.setMaximumPoolSize(5);
		config.setMinimumIdle(0);
		config.setAutoCommit(committing);
		return new HikariDataSource(config);
	}

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@AfterAll
	static void stop() throws IOException {
		postgres.close();
	}

	@AfterEach
	void close() {
		this.sql.execute("DROP TABLE accounts");
		this.sql.execute("DROP TABLE log");
		this.sql.execute("DROP TABLE leader_election_fence");
		this.dataSource.close();
		this.others.close();
	}

	@ParameterizedTest
	@EnumSource
	void leaderWrites(Nesting nesting) {
		run(nesting, (context, gate) -> {
			retrying(() -> nesting.call(context, NOTHING));
			nesting.call(context, NOTHING);
			assertThat(balance()).isEqualTo(2);
			assertThat(term("books")).isEqualTo(1);
			gate.lead("books", 7);
			retrying(() -> nesting.call(context, NOTHING));
			assertThat(term("books")).isEqualTo(7);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void storedTermAboveTheCurrentOneIsReportedOnce(CapturedOutput output) {
		this.sql.update("INSERT INTO leader_election_fence VALUES ('books', 7)");
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			gate.lead("books", 3);
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(LeadershipLostException.class)
					.isThrownBy(() -> context.getBean(Ledger.class).book(NOTHING));
			}
		});
		assertThat(output)
			.containsOnlyOnce("Table leader_election_fence has term 7 for books, but this process leads it in term 3");
	}

	/** Deposed in the middle, and before the next call. */
	@ParameterizedTest
	@EnumSource
	void deposedLeaderDoesNotCommit(Nesting nesting) {
		run(nesting, (context, gate) -> {
			retrying(() -> nesting.call(context, NOTHING));
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> nesting.call(context, () -> elsewhere(() -> laterLeader("later"))));
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> nesting.call(context, NOTHING));
			assertThat(balance()).isEqualTo(1);
			assertThat(this.sql.queryForList("SELECT text FROM log", String.class)).containsExactly("later");
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			assertThat(this.dataSource.getHikariPoolMXBean().getActiveConnections()).isZero();
		});
	}

	/** The connection is still bound to the thread, and would commit it. */
	@Test
	void workAfterACommitOnTheSameThreadIsRefused() {
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			gate.lead("books", 1);
			PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
			assertThat(AfterCommit.failuresOf(manager, () -> context.getBean(Ledger.class).book(NOTHING))).hasSize(2)
				.allSatisfy((failure) -> assertThat(failure).isInstanceOf(UnusableFenceException.class)
					.hasMessageContaining("the transaction of this thread has ended"));
			assertThat(balance()).isZero();
			// The first of a term is only where it begins inside the gate.
			context.getBean(Ledger.class).call(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
			}));
			TransactionTemplate another = new TransactionTemplate(manager,
					new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
			assertThat(AfterCommit.failuresOf(manager,
					() -> another.executeWithoutResult((status) -> context.getBean(Ledger.class).book(NOTHING))))
				.isEmpty();
			assertThat(balance()).isEqualTo(2);
		});
	}

	@Test
	void workAfterASavepointIsFenced() {
		assumeTrue(this.setup.access() == Access.JDBC);
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			gate.lead("books", 1);
			PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
			AtomicInteger attempts = new AtomicInteger();
			TransactionTemplate nested = new TransactionTemplate(manager,
					new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
			retrying(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
				nested.executeWithoutResult((inner) -> context.getBean(Ledger.class).book(NOTHING));
				// Nobody waits for what has released a savepoint.
				elsewhere(() -> context.getBean(Ledger.class)
					.call(() -> new TransactionTemplate(manager).executeWithoutResult(
							(other) -> context.getBean(SqlBooks.class).log("other " + attempts.incrementAndGet()))));
				context.getBean(Ledger.class).book(NOTHING);
			}));
			assertThat(balance()).isEqualTo(2);
		});
	}

	@Test
	void transactionThatBeganBeforeTheFenceWasRaisedIsRunAgain() {
		// There, who reads holds up who writes.
		assumeFalse(this.setup.database() == Database.MARIADB && this.setup.isolation().endsWith("SERIALIZABLE"));
		run(Nesting.GATED_CALLER, (context, gate) -> {
			assertThatItIsRunAgain(context, 2, Runnable::run);
			// Where another manager has begun inside it
			TransactionTemplate another = new TransactionTemplate(new JdbcTransactionManager(this.others));
			assertThatItIsRunAgain(context, 4, (work) -> another.executeWithoutResult((status) -> work.run()));
		});
	}

	private void assertThatItIsRunAgain(ApplicationContext context, long term, Consumer<Runnable> inside) {
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		LeaderTransactions fenced = context.getBean(LeaderTransactions.class);
		Leadership leadership = new TestTerm("books", term).leadership();
		JdbcTemplate own = new JdbcTemplate(this.dataSource);
		int before = balance();
		assertThatExceptionOfType(ConcurrencyFailureException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				int seen = balance(own);
				elsewhere(() -> other(term - 1, (sql) -> sql.update("UPDATE accounts SET balance = balance + 100")));
				elsewhere(() -> fenced.executeWithoutResult(leadership,
						(first) -> assertThat(first.isNewTransaction()).isTrue()));
				inside.accept(() -> fenced.executeWithoutResult(leadership,
						(inner) -> own.update("UPDATE accounts SET balance = ?", seen + 1)));
			}));
		assertThat(balance()).isEqualTo(before + 100);
		transaction.executeWithoutResult((status) -> fenced.executeWithoutResult(leadership,
				(inner) -> context.getBean(SqlBooks.class).increment()));
		assertThat(balance()).isEqualTo(before + 101);
	}

	/** Spring would not roll it back, and so have it committed. */
	@Test
	void transactionThatHasNoTimeLeftIsNotCommitted() {
		run(Nesting.GATED_CALLER, (context, gate) -> {
			TransactionTemplate brief = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			brief.setTimeout(1000);
			assertThatException()
				.isThrownBy(() -> context.getBean(Ledger.class).call(() -> brief.executeWithoutResult((status) -> {
					context.getBean(SqlBooks.class).log("late");
					ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager
						.getResource(this.dataSource);
					holder.setTimeoutInMillis(1);
					await().until(() -> holder.getDeadline().before(new Date()));
				})));
			assertThat(this.sql.queryForList("SELECT text FROM log", String.class)).isEmpty();
		});
	}

	/** Its manager has looked for the mark before, and commits it. */
	@Test
	void lateRollbackOnlyMarkDoesNotSkipTheFence() {
		run(Nesting.GATED_CALLER, (context, gate) -> {
			TransactionTemplate marked = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> context.getBean(Ledger.class).call(() -> marked.executeWithoutResult((status) -> {
					context.getBean(SqlBooks.class).increment();
					elsewhere(() -> laterLeader("later"));
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCommit(boolean readOnly) {
							status.setRollbackOnly();
						}

					});
				})));
			assertThat(balance()).isZero();
		});
	}

	@Test
	void participatingTransactionsBehaveAsWithoutTheFence() {
		assumeTrue(this.setup.access() == Access.JPA);
		run(Nesting.GATED_CALLER, (context, gate) -> {
			JpaBooks books = context.getBean(JpaBooks.class);
			PlatformTransactionManager second = new JdbcTransactionManager(this.dataSource);
			((TransactionFence) context.getBean(LeaderFence.class)).guard(second);
			TransactionTemplate entities = new TransactionTemplate(context.getBean(JpaTransactionManager.class));
			Ledger ledger = context.getBean(Ledger.class);
			// The second has not raised the fence itself.
			ledger.call(() -> entities.executeWithoutResult((status) -> ledger.call(books::increment)));
			assertThat(balance()).isEqualTo(1);
			// The entity manager is closed before the commit.
			ledger.call(() -> new TransactionTemplate(second).executeWithoutResult((status) -> books.read()));
			// What is rolled back is not written before.
			assertThatExceptionOfType(UnexpectedRollbackException.class)
				.isThrownBy(() -> ledger.call(() -> entities.executeWithoutResult((status) -> {
					books.duplicate();
					entities.executeWithoutResult(TransactionExecution::setRollbackOnly);
				})));
		});
	}

	@Test
	void transactionThatWaitsForARowHasNotPassedTheFence() {
		assumeTrue(this.setup.access() == Access.JPA && this.setup.isolation().endsWith("COMMITTED"));
		run(Nesting.GATED_CALLER, (context, gate) -> {
			LeaderTransactions transactions = context.getBean(LeaderTransactions.class);
			TestTerm term = new TestTerm("books", 1);
			SqlBooks books = context.getBean(SqlBooks.class);
			CountDownLatch changed = new CountDownLatch(1);
			CompletableFuture<Void> other = new CompletableFuture<>();
			transactions.executeWithoutResult(term.leadership(), (outer) -> {
				books.increment();
				outer.flush();
				other.completeAsync(() -> {
					transactions.executeWithoutResult(term.leadership(), (inner) -> {
						books.increment();
						changed.countDown();
					});
					return null;
				});
				await().until(() -> changed.getCount() == 0);
				await().during(Duration.ofMillis(300)).until(() -> !other.isDone());
			});
			other.join();
		});
	}

	/** Who leads next sees all that its predecessor commits. */
	@Test
	void laterLeaderWaitsForATransactionThatHasPassedTheFence() {
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			CountDownLatch passed = new CountDownLatch(1);
			CompletableFuture<Void> goOn = new CompletableFuture<>();
			((AbstractPlatformTransactionManager) context.getBean(PlatformTransactionManager.class))
				.addListener(new TransactionExecutionListener() {

					@Override
					public void beforeCommit(TransactionExecution transaction) {
						passed.countDown();
						goOn.join();
					}

				});
			CompletableFuture<Void> former = CompletableFuture
				.runAsync(() -> context.getBean(Ledger.class).book(NOTHING));
			await().until(() -> passed.getCount() == 0 || former.isDone());
			CompletableFuture<Integer> seen = CompletableFuture.supplyAsync(() -> later(FencedSqlTests::balance));
			try {
				await().during(Duration.ofMillis(300)).until(() -> !seen.isDone());
			}
			finally {
				// What waits here holds locks that the end of the test would wait for.
				goOn.complete(null);
			}
			assertThat(seen.join()).isEqualTo(1);
			former.join();
		});
	}

	@Test
	void transactionsOfOneLeaderDoNotConflictAtTheFence() {
		run(Nesting.GATED_CALLER, (context, gate) -> {
			LeaderTransactions transactions = context.getBean(LeaderTransactions.class);
			TestTerm term = new TestTerm("books", 1);
			SqlBooks books = context.getBean(SqlBooks.class);
			transactions.executeWithoutResult(term.leadership(), (outer) -> {
				books.log("outer");
				elsewhere(() -> transactions.executeWithoutResult(term.leadership(), (inner) -> books.log("inner")));
			});
			assertThat(this.sql.queryForList("SELECT text FROM log", String.class)).containsExactlyInAnyOrder("outer",
					"inner");
		});
	}

	@Test
	void transactionThatFailsLeavesNothingBehind() {
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			Ledger ledger = context.getBean(Ledger.class);
			assertThatIllegalStateException().isThrownBy(() -> ledger.book(() -> {
				throw new IllegalStateException("made on purpose");
			}));
			ledger.book(NOTHING);
			assertThat(balance()).isEqualTo(1);
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			assertThat(this.dataSource.getHikariPoolMXBean().getActiveConnections()).isZero();
		});
	}

	/** Where the database holds it to that; elsewhere it is fenced as any other. */
	@Test
	void transactionThatOnlyReadsIsNotRefused() {
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			TransactionTemplate reading = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			reading.setReadOnly(true);
			context.getBean(Ledger.class)
				.call(() -> reading.executeWithoutResult((status) -> context.getBean(Books.class).read()));
		});
	}

	@Test
	void removedFenceIsCreatedAgain() {
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			gate.lead("books", 3);
			Ledger ledger = context.getBean(Ledger.class);
			ledger.book(NOTHING);
			this.sql.update("DELETE FROM leader_election_fence");
			assertThatExceptionOfType(ConcurrencyFailureException.class).isThrownBy(() -> ledger.book(NOTHING));
			ledger.book(NOTHING);
			assertThat(term("books")).isEqualTo(3);
			assertThat(balance()).isEqualTo(2);
		});
	}

	/** Otherwise the fence would be passed on another connection, and hold nobody up. */
	@Test
	void managerThatExposesNoConnectionIsRefused() {
		JpaTransactionManager manager = new JpaTransactionManager();
		manager.setDataSource(this.dataSource);
		manager.setTransactionExecutionListeners(Set.of());
		assertThatExceptionOfType(UnusableFenceException.class)
			.isThrownBy(() -> new TransactionFence(() -> Stream.of(manager)).requireUsable())
			.withMessageContaining("does not expose its connections");
		assumeTrue(this.setup.access() == Access.JPA);
		run(Nesting.GATE_AROUND_TRANSACTION, (context, gate) -> {
			context.getBean(JpaTransactionManager.class).setJpaDialect(new DefaultJpaDialect() {
			});
			assertThatExceptionOfType(UnusableFenceException.class)
				.isThrownBy(() -> context.getBean(Ledger.class).book(NOTHING));
			assertThat(balance()).isZero();
		});
	}

	/** Some give the lock of a row up before the transaction ends. */
	@Test
	void databaseNotKnownToLockRowsIsRefused() throws SQLException {
		DataSource derby = mock(DataSource.class, RETURNS_DEEP_STUBS);
		given(derby.getConnection().getMetaData().getDatabaseProductName()).willReturn("Apache Derby");
		PlatformTransactionManager manager = new JdbcTransactionManager(derby);
		// It may be there for other things.
		new TransactionFence(() -> Stream.of(new JdbcTransactionManager(this.dataSource), manager)).requireUsable();
		assertThatExceptionOfType(UnusableFenceException.class)
			.isThrownBy(() -> new TransactionFence(() -> Stream.of(manager)).requireUsable())
			.withMessageContaining("Apache Derby is not known to lock rows");
	}

	@Test
	void missingTableFailsTheStart() {
		this.sql.execute("ALTER TABLE leader_election_fence RENAME TO elsewhere");
		try {
			runner(Nesting.GATE_AROUND_TRANSACTION).run((context) -> assertThat(context).getFailure()
				.hasMessageContaining(
						"transactions can't be fenced: the database has no table leader_election_fence that this application may read. ")
				.hasMessageEndingWith(
						"Create it: %s. Where leases are kept in that database, leader-election.jdbc.initialize-schema=always creates all tables"
							.formatted(createTable(this.setup.database()))));
		}
		finally {
			this.sql.execute("ALTER TABLE elsewhere RENAME TO leader_election_fence");
		}
	}

	private void run(Nesting nesting, BiConsumer<ApplicationContext, TestGate> test) {
		runner(nesting).run((context) -> {
			assertThat(context).hasNotFailed();
			TestGate gate = context.getBean(TestGate.class);
			gate.lead("books", 1);
			test.accept(context, gate);
		});
	}

	private ApplicationContextRunner runner(Nesting nesting) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class, this.setup.access().transactions))
			.withPropertyValues("leader-election.gate.order=" + nesting.gateOrder(),
					"spring.jpa.hibernate.ddl-auto=none",
					"spring.jpa.properties.hibernate.connection.provider_disables_autocommit="
							+ !this.dataSource.isAutoCommit())
			.withBean(DataSource.class, () -> this.dataSource, (definition) -> definition.setDestroyMethodName(""))
			.withBean(TestGate.class)
			.withBean(this.setup.access().books)
			.withBean(Ledger.class)
			.withUserConfiguration(Transactions.class);
	}

	/** As Spring's users do, when the database asks for it. */
	private static void retrying(Runnable work) {
		try {
			work.run();
		}
		catch (ConcurrencyFailureException ex) {
			work.run();
		}
	}

	private static void elsewhere(Runnable work) {
		CompletableFuture.runAsync(work).join();
	}

	private void laterLeader(String text) {
		later((sql) -> sql.update("INSERT INTO log VALUES (?)", text));
	}

	/** What a later leader does in another process. */
	private <T> T later(Function<JdbcTemplate, T> work) {
		return other(2, work);
	}

	private <T> T other(long term, Function<JdbcTemplate, T> work) {
		PlatformTransactionManager manager = new JdbcTransactionManager(this.others);
		LeaderFence fence = new TransactionFence(() -> Stream.of(manager));
		return new LeaderTransactions(fence, manager).execute(new TestTerm("books", term).leadership(),
				(status) -> work.apply(this.sql));
	}

	private int balance() {
		return balance(this.sql);
	}

	private static int balance(JdbcTemplate sql) {
		return sql.queryForObject("SELECT balance FROM accounts WHERE id = 'a'", Integer.class);
	}

	private long term(String election) {
		return this.sql.queryForObject("SELECT term FROM leader_election_fence WHERE id = ?", Long.class, election);
	}

	record Setup(Database database, Access access, String isolation) {

	}

	enum Database {

		H2, POSTGRESQL, MARIADB,

		/** As later versions are by default. */
		MARIADB_WITH_SNAPSHOTS;

		private String url() {
			return switch (this) {
				case H2 -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000";
				case POSTGRESQL -> postgres.getJdbcUrl("postgres", "postgres");
				case MARIADB -> mariaDb.url("test");
				case MARIADB_WITH_SNAPSHOTS -> mariaDb.url("test") + "&sessionVariables=innodb_snapshot_isolation=ON";
			};
		}

	}

	enum Access {

		JDBC(DataSourceTransactionManagerAutoConfiguration.class, SqlBooks.class),

		JPA(HibernateJpaAutoConfiguration.class, JpaBooks.class);

		private final Class<?> transactions;

		private final Class<? extends SqlBooks> books;

		Access(Class<?> transactions, Class<? extends SqlBooks> books) {
			this.transactions = transactions;
			this.books = books;
		}

	}

	/** Not last, so that the gate can be put inside. */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	@EntityScan(basePackageClasses = FencedSqlTests.class)
	static class Transactions {

	}

	static class SqlBooks extends Books {

		private final JdbcTemplate sql;

		SqlBooks(DataSource dataSource) {
			this.sql = new JdbcTemplate(dataSource);
		}

		@Override
		void read() {
			balance(this.sql);
		}

		@Override
		void increment() {
			this.sql.update("UPDATE accounts SET balance = balance + 1 WHERE id = 'a'");
		}

		void log(String text) {
			this.sql.update("INSERT INTO log VALUES (?)", text);
		}

	}

	static class JpaBooks extends SqlBooks {

		@PersistenceContext
		private EntityManager entities;

		JpaBooks(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		void read() {
			this.entities.find(Account.class, "a");
		}

		/** Written when the transaction commits, not before. */
		@Override
		void increment() {
			this.entities.find(Account.class, "a").balance++;
		}

		void duplicate() {
			Account account = new Account();
			account.id = "a";
			this.entities.persist(account);
		}

	}

	@Entity
	@Table(name = "accounts")
	static class Account {

		@Id
		private String id;

		private int balance;

	}

}
