package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * Measures the load of the database in steady state.
 */
final class LoadMeter implements ComparedLoads.Meter<LoadMeter.Load> {

	/** The titles of {@link Load#columns()}. */
	static final List<String> TITLES = List.of("operations/s", "kB/s", "CPU ms/s", "commands/s");

	/**
	 * Long enough for each follower with a TTL of 20 s to read all leases once, and for
	 * leaders to renew their sessions eight times.
	 */
	static final Duration WINDOW = Duration.ofSeconds(100);

	/**
	 * Lets the aftermath of a start end: candidates read about each other as they join,
	 * and know after two listings of sessions which one stands by.
	 */
	private static final Duration REST = Duration.ofSeconds(80);

	private static final Duration SILENCE = Duration.ofSeconds(10);

	private final MongoReplicaSet mongo;

	private final ServerLoad idle;

	LoadMeter(MongoReplicaSet mongo) throws InterruptedException {
		this.mongo = mongo;
		// Servers that have just started, or lost a client, have more to do.
		Thread.sleep(SILENCE.toMillis());
		ServerLoad before = ServerLoad.of(mongo);
		Thread.sleep(WINDOW.toMillis());
		this.idle = ServerLoad.of(mongo).since(before);
	}

	@Override
	public Load measure(Callable<Commands> commands) throws Exception {
		Thread.sleep(REST.toMillis());
		ServerLoad before = ServerLoad.of(this.mongo);
		Commands sent = commands.call();
		Thread.sleep(WINDOW.toMillis());
		return new Load(commands.call().minus(sent), ServerLoad.of(this.mongo).since(before).since(this.idle));
	}

	/**
	 * The load within the window.
	 *
	 * @param commands the commands that clients have sent
	 * @param servers what the servers have done, less what they do without clients
	 */
	record Load(Commands commands, ServerLoad servers) {

		double operationsPerSecond() {
			return this.commands.total() / (double) WINDOW.toSeconds();
		}

		/** Without the commands that wait for changes. */
		double requestsPerSecond() {
			return (this.commands.total() - this.commands.of("getMore")) / (double) WINDOW.toSeconds();
		}

		double writesPerSecond() {
			return (this.commands.of("findAndModify") + this.commands.of("update") + this.commands.of("insert")
					+ this.commands.of("delete")) / (double) WINDOW.toSeconds();
		}

		double kilobytesPerSecond() {
			return this.servers.bytes() / 1000.0 / WINDOW.toSeconds();
		}

		double cpuMillisPerSecond() {
			return (double) this.servers.cpuMillis() / WINDOW.toSeconds();
		}

		List<String> columns() {
			return List.of(Samples.format(operationsPerSecond()), Samples.format(kilobytesPerSecond()),
					Samples.format(cpuMillisPerSecond()), this.commands.describe((double) WINDOW.toSeconds()));
		}

	}

}
