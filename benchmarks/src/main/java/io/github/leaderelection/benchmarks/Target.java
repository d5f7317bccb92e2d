package io.github.leaderelection.benchmarks;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Targets of the measurements, each with its upper limit.
 */
enum Target {

	GATE_LEADER("Gated call on the leader, library part", 200, "ns"),

	GATE_FOLLOWER("Gated call on a follower, library part", 50, "ns"),

	GATE_OVER_LOCK("10,000 gated calls on the leader, over one run behind a lock with majority writes", 1, "times"),

	RELEASE_MEDIAN("Handover after `resign`, median", 15, "ms"),

	RELEASE_P99("Handover after `resign`, p99", 100, "ms"),

	SIGTERM_MEDIAN("Handover after SIGTERM, median", 35, "ms"),

	SIGTERM_P99("Handover after SIGTERM, p99", 100, "ms"),

	FAILOVER_MEDIAN("From SIGKILL of the leader to the next, median", 0.93, "TTL"),

	FAILOVER_MAX("The same, longest; a poll interval is a tenth of a TTL", 1.1, "TTL"),

	STORM("100 elections led again after their leader was killed and 49 follow, beyond the TTL, median", 0.3, "s"),

	STORM_COMMANDS("Commands of the 49 until then, median", 400, "commands"),

	STORM_LOST("Takings of theirs that came too late, median", 100, "takings"),

	MANY_LED("10,000 elections led by one process, from its start", 10, "s"),

	MANY_LED_AGAIN("The same by another after it was killed, beyond the TTL", 10, "s"),

	LOAD_ONE("Load of 1 election, 10 candidates, TTL 20 s", 3.97, "operations/s"),

	LOAD_ONE_WRITES("The same, writes only", 0.6, "writes/s"),

	LOAD_ONE_BYTES("The same in bytes", 15, "kB/s"),

	LOAD_ONE_SHORT("The same at a TTL of 10 s, commands without change streams", 5.6, "commands/s"),

	LOAD_THOUSAND("Operations for 1,000 elections, led by one candidate, over those for 1", 1.1, "times"),

	LOAD_THOUSAND_BYTES("The same in bytes", 1.2, "times"),

	LOAD_THOUSAND_CPU("The same in processor time", 1.2, "times"),

	LOAD_PAIR_BYTES("Bytes for 1,000 elections with one leader and one follower, TTL 10 s, over those for 1", 1.3,
			"times"),

	LOAD_MANY("Operations for 10,000 elections over those for 1,000", 1.1, "times"),

	LOAD_MANY_BYTES("The same in bytes", 1.2, "times"),

	LOAD_SPREAD("Load of 1,000 elections spread over 50 candidates", 30, "operations/s"),

	LOAD_SPREAD_BYTES("The same in bytes", 150, "kB/s"),

	LOAD_SPREAD_CPU("The same in processor time", 60, "ms/s"),

	HEAP("Heap per election", 1.2, "kB"),

	THREADS("Threads per process, for up to 1,000 elections", 3, "threads"),

	START("Added to the cold start of a context with a Mongo client, median", 150, "ms"),

	LOCK_HANDOVER("Handover of a lock that 10 processes want, median", 25, "ms"),

	LOCK_BESIDE("A lock that is acquired and closed beside 10,000 that are held, over one beside none", 1.5, "times"),

	LOCK_WAITING("Commands of 50 who wait for one lock, in up to 50 processes", 10, "commands/s"),

	JDBC_RELEASE_MEDIAN("Handover after `resign`, median", 20, "ms"),

	JDBC_FAILOVER_MAX("From SIGKILL of the leader to the next, longest; a poll interval is a tenth of a TTL", 1.1,
			"TTL"),

	JDBC_LOAD_ONE("Load of 1 election, 10 candidates, TTL 20 s, as measured on MongoDB", 3.13, "statements/s"),

	JDBC_LOAD_HUNDRED("Statements for 100 elections, led by one candidate, over those for 1", 1.1, "times");

	/** The targets of locks, which have a separate page. */
	static final Set<Target> LOCKS = EnumSet.of(LOCK_HANDOVER, LOCK_BESIDE, LOCK_WAITING);

	/** The targets on PostgreSQL. */
	static final Set<Target> JDBC = EnumSet.range(JDBC_RELEASE_MEDIAN, JDBC_LOAD_HUNDRED);

	/** All other targets. */
	static final Set<Target> ELECTIONS = EnumSet.range(GATE_LEADER, START);

	/** The titles of {@link #row}. */
	static final List<String> TITLES = List.of("target", "at most", "measured", "");

	private final String title;

	private final double most;

	private final String unit;

	Target(String title, double most, String unit) {
		this.title = title;
		this.most = most;
		this.unit = unit;
	}

	List<String> row(@Nullable Double measured) {
		String limit = "%s %s".formatted(Samples.number(this.most), this.unit);
		if (measured == null) {
			return List.of(this.title, limit, "", "not measured");
		}
		double over = measured - this.most;
		String verdict = (over <= 0) ? "met" : "missed by %s %s".formatted(Samples.format(over), this.unit);
		return List.of(this.title, limit, Samples.format(measured), verdict);
	}

}
