package io.github.leaderelection.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.benchmarks.ComparedLoads.Meter;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * Compares this library with others on PostgreSQL.
 */
final class JdbcComparison {

	private static final Duration TTL = Duration.ofSeconds(3);

	/** The default of db-scheduler. */
	private static final Duration DEFAULT_POLLING = Duration.ofSeconds(10);

	private static final Duration POLLING = Duration.ofSeconds(1);

	private static final Duration FASTEST_POLLING = Duration.ofMillis(100);

	/** Long enough for each follower to read all leases once. */
	private static final Duration WINDOW = Duration.ofSeconds(Rounds.of(100));

	/** Lets the aftermath of a start of candidates end. */
	private static final Duration REST = Duration.ofSeconds(Rounds.of(80));

	private static final int CANDIDATES = 10;

	private final String uri;

	private final Report report;

	private JdbcComparison(String uri, Report report) {
		this.uri = uri;
		this.report = report;
	}

	static String introduction(EmbeddedPostgres postgres) {
		ClassPath libraries = ClassPath.current();
		try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
			return Machine.introduction("Benchmarks on PostgreSQL",
					"a real PostgreSQL server that shares the machine with what is\nmeasured",
					"PostgreSQL %s and its driver %s, HikariCP %s".formatted(
							connection.getMetaData().getDatabaseProductVersion(), libraries.version("postgresql"),
							libraries.version("HikariCP")),
					", db-scheduler " + libraries.version("db-scheduler"));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void measure(EmbeddedPostgres postgres, Report report) throws Exception {
		JdbcComparison comparison = new JdbcComparison(postgres.getJdbcUrl("postgres", "postgres"), report);
		report.paragraph("""
				Each instance has its own pool of three connections. The server waits for its disk at each commit.
				""");
		comparison.handovers();
		comparison.failovers();
		comparison.loads();
		comparison.runs();
		comparison.locks();
	}

	private void handovers() throws InterruptedException {
		this.report.title("Handover");
		this.report.paragraph(
				"""
						Milliseconds without a leader after the leader has left in good order, until another candidate's listeners hear that it leads.

						- On `resign`: three candidates in one JVM. Changes are pushed.
						- Spring Integration: two `LockRegistryLeaderInitiator` in one JVM on its JDBC registry, from `stop` of the leader to `onGranted` of the
						  other. The fastest sane settings are a heartbeat, a busy wait and an idle time between tries of 50 ms each.
						- ShedLock and db-scheduler have no leader. The table shows the time from when the instance that last ran a job goes away until another one
						  runs it: a job each second, two instances that were started at random times. ShedLock has a `lockAtMostFor` of 20 s and a `lockAtLeastFor`
						  of 0.8 s. db-scheduler polls every 10 s by default. These three rows were measured at the same time.
						""");
		this.report.table(titles("milliseconds"));
		this.report.row("`resign`", () -> {
			Samples samples = new Samples(Handovers.resignations(this.uri, 150));
			this.report.measured(Target.JDBC_RELEASE_MEDIAN, samples.median());
			return samples.columns();
		});
		this.report.row("Spring Integration, defaults", () -> springIntegration(IntegrationHandovers.DEFAULTS));
		this.report.row("Spring Integration, fastest sane settings",
				() -> springIntegration(IntegrationHandovers.FASTEST));
		Map<String, Callable<List<String>>> jobs = new LinkedHashMap<>();
		jobs.put("ShedLock, the next run elsewhere", () -> new Samples(Handovers.shedLock(this.uri, 40)).columns());
		jobs.put("db-scheduler, the same, polling by default", () -> dbScheduler(DEFAULT_POLLING, 10));
		jobs.put("db-scheduler, the same, polling each 0.1 s", () -> dbScheduler(FASTEST_POLLING, 40));
		atTheSameTime(jobs);
	}

	private List<String> springIntegration(IntegrationHandovers.Settings settings) throws Exception {
		return inDatabase((database) -> {
			CountedCommands commands = new CountedCommands();
			try (HikariDataSource first = commands.pool(this.uri, database);
					HikariDataSource second = commands.pool(this.uri, database)) {
				return new Samples(IntegrationHandovers.millis(settings, 50, List.of(first, second))).columns();
			}
		});
	}

	private List<String> dbScheduler(Duration polling, int number) throws Exception {
		Duration period = (polling.compareTo(POLLING) > 0) ? polling : POLLING;
		return inDatabase((database) -> new Samples(JobHandovers.millis(number, period,
				(job) -> new ScheduledTasks(new CountedCommands().pool(this.uri, database), 1, polling, job)))
			.columns());
	}

	private void failovers() throws InterruptedException {
		this.report.title("Failover");
		this.report.paragraph(
				"""
						From SIGKILL of the leader's process until another candidate's listeners hear that it leads, as a multiple of the TTL. Two candidates
						follow. The moment of the kill is random.
						""");
		this.report.table(titles("TTL"));
		this.report.row(TTL.toSeconds() + " s", () -> {
			Samples multiples = new Samples(Failovers.multiples(this.uri, TTL));
			this.report.measured(Target.JDBC_FAILOVER_MAX, multiples.percentile(100));
			return multiples.columns();
		});
		this.report.paragraph(
				"""
						The other libraries were not measured here: their settings determine how long a crash lasts. With Spring Integration it lasts for the TTL of
						the lock, 10 s by default, which begins again with each renewal, and one try. A ShedLock job that was running is blocked until its
						`lockAtMostFor` is over, which has no default. db-scheduler takes an execution for dead when six heartbeats, one in 5 min by default, are
						missing, and looks for dead executions at every second heartbeat.
						""");
	}

	private void loads() throws InterruptedException {
		this.report.title("Load of the database");
		this.report.paragraph(
				"""
						In steady state, for %d s, with %d candidates or instances: the statements that they send, counted in the same way for all, at the
						`DataSource` below the pool. Each statement of a batch counts, and so do commits, rollbacks, and calls that set or query the isolation of
						transactions. The pool's tests of its connections, and the `BEGIN` that goes with the first statement of a transaction, do not count. One
						candidate leads all elections. ShedLock tries each job once a second on each instance, with a `lockAtLeastFor` of 0.8 s; tasks of
						db-scheduler are due a second after they have run. On MongoDB, one election also takes about [three operations per
						second](benchmarks.md#load-of-the-database).
						"""
					.formatted(WINDOW.toSeconds(), CANDIDATES));
		this.report.table(List.of("elections or jobs", "by", "statements/s", "by name"));
		Map<String, Callable<List<String>>> light = new LinkedHashMap<>();
		double[] perSecond = new double[2];
		Meter<Load> meter = meter(REST, WINDOW);
		light.put("1 | this library, TTL 20 s", () -> elections(1, meter, perSecond, 0));
		light.put("100 | this library, TTL 20 s", () -> elections(100, meter, perSecond, 1));
		light.put("1 | Spring Integration, defaults", () -> ComparedLoads.springIntegration(this.uri, meter).columns());
		light.put("1 | ShedLock", () -> ComparedLoads.shedLock(this.uri, 1, meter).columns());
		light.put("1 | db-scheduler, polling by default",
				() -> ComparedLoads.dbScheduler(this.uri, 1, DEFAULT_POLLING, meter).columns());
		light.put("100 | db-scheduler, polling by default",
				() -> ComparedLoads.dbScheduler(this.uri, 100, DEFAULT_POLLING, meter).columns());
		light.put("1 | db-scheduler, polling each second",
				() -> ComparedLoads.dbScheduler(this.uri, 1, POLLING, meter).columns());
		atTheSameTime(light);
		if (perSecond[0] > 0 && perSecond[1] > 0) {
			this.report.measured(Target.JDBC_LOAD_ONE, perSecond[0]);
			this.report.measured(Target.JDBC_LOAD_HUNDRED, perSecond[1] / perSecond[0]);
		}
		Meter<Load> brief = meter(REST.dividedBy(8), WINDOW.dividedBy(4));
		this.report.row("100 | ShedLock", () -> ComparedLoads.shedLock(this.uri, 100, brief).columns());
		this.report.row("100 | db-scheduler, polling each second",
				() -> ComparedLoads.dbScheduler(this.uri, 100, POLLING, brief).columns());
		this.report.paragraph(
				"""
						The last two rows were measured alone and for a quarter of the time, the others at the same time. Each initiator of Spring Integration sends
						its own statements: a hundred elections would need a hundred times as many, which is more than this machine can handle.
						""");
	}

	private List<String> elections(int elections, Meter<Load> meter, double[] perSecond, int index) throws Exception {
		try (Crowd crowd = new Crowd(this.uri, elections, CANDIDATES, Duration.ofSeconds(20))) {
			String problem = crowd.start(false);
			if (problem != null) {
				throw new IllegalStateException(problem);
			}
			Load load = meter.measure(crowd::commands);
			perSecond[index] = load.perSecond();
			return load.columns();
		}
	}

	private static Meter<Load> meter(Duration rest, Duration window) {
		return (commands) -> {
			Thread.sleep(rest.toMillis());
			Commands before = commands.call();
			Thread.sleep(window.toMillis());
			return new Load(commands.call().minus(before), window.toMillis() / 1e3);
		};
	}

	private void runs() throws Exception {
		this.report.title("Records of runs");
		this.report.paragraph(
				"""
						The milliseconds that a run of a job that does nothing takes, and the statements that it sends. They take turns, in one thread. A task of
						db-scheduler is found, picked, run, and scheduled again.
						""");
		CountedCommands commands = new CountedCommands();
		Databases.create(this.uri, Records.DATABASE);
		try (HikariDataSource pool = commands.pool(this.uri, Records.DATABASE)) {
			int[] runs = { 0 };
			Runnable execution = ScheduledTasks.execution(pool, () -> runs[0]++);
			Records.measure(this.uri, commands, this.report, Map.of("db-scheduler, one execution", (number) -> {
				execution.run();
				Records.require(runs[0] == number + 1);
			}));
		}
	}

	private void locks() throws Exception {
		this.report.title("Locks");
		this.report.paragraph(
				"""
						Milliseconds to acquire a lock that nobody else wants, and to release it, repeated by one thread, with one name or with a new name each
						time. The libraries take turns. `close()` of this library goes on in the background: the next call for the same name waits for it, a call
						for another name does not.
						""");
		inDatabase((database) -> {
			try (HikariDataSource pool = new CountedCommands().pool(this.uri, database);
					LockContenders contenders = new LockContenders(this.uri, database, pool, "Spring Integration")) {
				contenders.measure(this.report);
				return List.of();
			}
		});
	}

	private <T> T inDatabase(Measurement<T> measurement) throws Exception {
		String database = "comparison-" + UUID.randomUUID();
		Databases.create(this.uri, database);
		try {
			return measurement.measure(database);
		}
		finally {
			Databases.drop(this.uri, database);
		}
	}

	/** Add rows of measurements that are idle most of the time. */
	private void atTheSameTime(Map<String, Callable<List<String>>> rows) throws InterruptedException {
		ExecutorService executor = Executors.newFixedThreadPool(rows.size());
		try {
			Map<String, Future<List<String>>> measured = new LinkedHashMap<>();
			rows.forEach((head, cells) -> measured.put(head, executor.submit(cells)));
			for (Map.Entry<String, Future<List<String>>> row : measured.entrySet()) {
				this.report.row(row.getKey(), () -> {
					try {
						return row.getValue().get();
					}
					catch (ExecutionException ex) {
						throw (ex.getCause() instanceof Exception cause) ? cause : ex;
					}
				});
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static List<String> titles(String first) {
		return Stream.concat(Stream.of(first), Samples.TITLES.stream()).toList();
	}

	/**
	 * The commands that were sent within a window.
	 */
	private record Load(Commands commands, double seconds) {

		double perSecond() {
			return this.commands.total() / this.seconds;
		}

		List<String> columns() {
			return List.of(Samples.format(perSecond()), this.commands.describe(this.seconds));
		}

	}

	private interface Measurement<T> {

		T measure(String database) throws Exception;

	}

}
