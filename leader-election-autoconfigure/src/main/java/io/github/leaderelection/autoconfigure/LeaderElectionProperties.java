package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.spring.GateMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * Configuration properties for leader election.
 *
 * @param enabled Whether this process takes part in elections. If not, no store is used.
 * @param whenDisabled What happens to gated methods and candidates when leader election
 * is disabled.
 * @param ttl How long a process counts as alive after its last heartbeat, and therefore
 * how long others wait before they replace a leader that has crashed.
 * @param renewInterval How often this process renews its session while it leads. By
 * default, a quarter of the time to live.
 * @param safetyMargin How long before others may end its session a leader stops leading.
 * By default, a tenth of the time to live.
 * @param operationTimeout Time allowed for one operation of the store. By default, a
 * quarter of the time to live, but at most 5 seconds.
 * @param pollInterval How often leases are read if changes are not pushed. By default, a
 * tenth of the time to live.
 * @param drainTimeout How long a resignation or shutdown waits for gated calls and
 * candidates to finish. After that, work is interrupted where permitted, and the lease is
 * released within another time to live. By default, 25 seconds.
 * @param cooldown How long this process does not lead after it has resigned. By default,
 * a quarter of the time to live.
 * @param startingDeadline How long after a missed fire time a recorded job can still be
 * started. By default, 10 minutes, and at least three times the time to live.
 * @param defaultElection Name of the election that gated methods belong to if they name
 * none. By default, the name of the application.
 * @param interruptOnLoss Whether a thread that runs a gated method is interrupted when
 * leadership is lost.
 * @param readiness Which processes accept traffic.
 * @param readinessElection Name of the election whose leader alone is ready, if readiness
 * depends on leadership. By default, the default election.
 * @param prefix Prefix of the names under which elections are stored. It keeps
 * applications apart that share a database. Code and configuration use the names without
 * it.
 * @param componentFailure What happens to leadership when a component that is bound to
 * the leader does not start.
 * @param elections Settings of single elections, by name. Put names in square brackets
 * unless they consist of letters, digits, hyphens and underscores.
 * @param gate the gate in front of methods that run on the leader only
 * @param candidate what this process announces of itself
 * @param store Which store keeps the leases, if both can be used.
 * @param mongodb where MongoDB keeps the leases
 * @param jdbc where a relational database keeps the leases
 * @param web answers to clients of a web application
 * @param locks locks whose names are chosen at run time
 */
@ConfigurationProperties(prefix = LeaderElectionProperties.PREFIX)
public record LeaderElectionProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("run") WhenDisabled whenDisabled, @DefaultValue("20s") Duration ttl,
		@Nullable Duration renewInterval, @Nullable Duration safetyMargin, @Nullable Duration operationTimeout,
		@Nullable Duration pollInterval, @Nullable Duration drainTimeout, @Nullable Duration cooldown,
		@Nullable Duration startingDeadline, @Nullable String defaultElection,
		@DefaultValue("true") boolean interruptOnLoss, @DefaultValue("application") Readiness readiness,
		@Nullable String readinessElection, @DefaultValue("") String prefix,
		@DefaultValue("retry") ComponentFailure componentFailure, @DefaultValue Map<String, Election> elections,
		@DefaultValue Gate gate, @DefaultValue Candidate candidate, @Nullable Store store,
		@DefaultValue Mongodb mongodb, @DefaultValue Jdbc jdbc, @DefaultValue Web web, @DefaultValue Locks locks) {

	static final String PREFIX = "leader-election";

	/**
	 * Bind the properties before there is a bean that holds them.
	 */
	static LeaderElectionProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate(PREFIX, LeaderElectionProperties.class);
	}

	/** Return the global settings in the form of those of one election. */
	Election all() {
		return new Election(this.ttl, this.renewInterval, this.safetyMargin, this.operationTimeout, this.pollInterval,
				this.drainTimeout, this.cooldown, this.startingDeadline, false, List.of(), this.componentFailure);
	}

	/** Return whether the gate is enforced, and what it does with calls if not. */
	GateMode mode() {
		if (this.enabled) {
			return GateMode.ENFORCED;
		}
		return (this.whenDisabled == WhenDisabled.RUN) ? GateMode.RUN : GateMode.SKIP;
	}

	/** Return the default election, or {@code null} if there is none. */
	@Nullable String defaultElectionIn(Environment environment) {
		return (this.defaultElection != null) ? this.defaultElection
				: environment.getProperty("spring.application.name");
	}

	/**
	 * What happens to gated methods and candidates when leader election is disabled.
	 */
	public enum WhenDisabled {

		/**
		 * This process leads every election by itself.
		 */
		RUN,

		/**
		 * This process leads no election: gated methods are skipped.
		 */
		SKIP

	}

	/**
	 * What happens to leadership when a component does not start.
	 */
	public enum ComponentFailure {

		/**
		 * This process continues to lead, and tries again.
		 */
		RETRY,

		/**
		 * This process tries again, and resigns after three failures in a row.
		 */
		RESIGN

	}

	/**
	 * The store that keeps the leases.
	 */
	public enum Store {

		/**
		 * MongoDB.
		 */
		MONGODB,

		/**
		 * A relational database.
		 */
		JDBC

	}

	/**
	 * Which processes accept traffic.
	 */
	public enum Readiness {

		/**
		 * All that are ready, whether they lead or not.
		 */
		APPLICATION,

		/**
		 * Only the leader, if it is ready.
		 */
		LEADER

	}

	/**
	 * Settings of one election.
	 *
	 * @param ttl How long a process counts as alive after its last heartbeat. If set, the
	 * other durations of this election are derived from it unless they are set for this
	 * election too. The drain timeout and the starting deadline are still the global
	 * ones, if those are set.
	 * @param renewInterval as for all elections
	 * @param safetyMargin as for all elections
	 * @param operationTimeout as for all elections
	 * @param pollInterval as for all elections
	 * @param drainTimeout as for all elections
	 * @param cooldown as for all elections
	 * @param startingDeadline as for all elections
	 * @param stand Whether this process stands in the election even if no gated method
	 * and no candidate names it.
	 * @param components Names of beans, and ids of listener containers, that are started
	 * and stopped with the leader of this election.
	 * @param componentFailure What happens to leadership when one of these components
	 * does not start. By default, what is set for all elections.
	 */
	public record Election(@Nullable Duration ttl, @Nullable Duration renewInterval, @Nullable Duration safetyMargin,
			@Nullable Duration operationTimeout, @Nullable Duration pollInterval, @Nullable Duration drainTimeout,
			@Nullable Duration cooldown, @Nullable Duration startingDeadline, boolean stand,
			@DefaultValue List<String> components, @Nullable ComponentFailure componentFailure) {

	}

	/**
	 * The gate in front of methods that run on the leader only.
	 *
	 * @param order Order of the gate among the advice of a method. By default, the gate
	 * is the outermost, so that a skipped call opens no transaction.
	 */
	public record Gate(@DefaultValue("-2147483648") int order) {

	}

	/**
	 * What this process announces of itself.
	 *
	 * @param address Address at which other processes and people can reach this process.
	 * @param version Version of the application. By default, the version of the build, if
	 * known.
	 */
	public record Candidate(@Nullable String address, @Nullable String version) {

	}

	/**
	 * Where MongoDB keeps the leases.
	 *
	 * @param database Name of the database. By default, the database of the application.
	 */
	public record Mongodb(@Nullable String database) {

	}

	/**
	 * Where a relational database keeps the leases.
	 *
	 * @param initializeSchema Whether to create the tables at startup.
	 * @param tablePrefix Prefix of the names of the tables, optionally after a schema and
	 * a dot.
	 */
	public record Jdbc(@DefaultValue("embedded") InitializeSchema initializeSchema,
			@DefaultValue("leader_election_") String tablePrefix) {

		InvalidElectionSettingException invalidPrefix(IllegalArgumentException cause) {
			return new InvalidElectionSettingException(PREFIX + ".jdbc.table-prefix",
					ElectionNames.printable(this.tablePrefix), "is not a valid table prefix",
					"Use up to 40 lower-case letters, digits and underscores, optionally after a schema and a dot, 57 characters in all",
					cause);
		}

	}

	/**
	 * The databases in which the tables are created. Corresponds to Spring Boot's
	 * initialization mode, which not every application has on its class path.
	 */
	public enum InitializeSchema {

		/**
		 * All databases.
		 */
		ALWAYS,

		/**
		 * Embedded databases only.
		 */
		EMBEDDED,

		/**
		 * No database.
		 */
		NEVER

	}

	/**
	 * Answers to clients of a web application.
	 *
	 * @param exposeLeader Whether an instance that refuses a request because it does not
	 * lead tells its client the candidate id and the address of the leader.
	 */
	public record Web(boolean exposeLeader) {

	}

	/**
	 * Locks whose names are chosen at run time.
	 *
	 * @param enabled Whether locks are available. They cost nothing until one is used.
	 * @param ttl How long a process that holds locks counts as alive after its last
	 * heartbeat. By default, the time to live of elections, together with their other
	 * durations. The drain timeout of elections always applies, their cooldown never.
	 * @param collection Name of the collection that keeps locks.
	 * @param unusedFor Time after which a lock that nobody has acquired is removed from
	 * the store; 1 minute to 365 days.
	 */
	public record Locks(@DefaultValue("true") boolean enabled, @Nullable Duration ttl,
			@DefaultValue("leader_election_locks") String collection, @DefaultValue("1h") Duration unusedFor) {

	}

}
