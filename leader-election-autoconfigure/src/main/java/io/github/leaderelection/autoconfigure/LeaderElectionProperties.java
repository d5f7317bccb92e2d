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
 * @param whenDisabled What becomes of gated methods and candidates when leader election
 * is disabled.
 * @param ttl How long a process counts as alive after its last heartbeat, and so how long
 * others wait before they replace a leader that has crashed.
 * @param renewInterval How often this process renews its session while it leads. By
 * default, a quarter of the time to live.
 * @param safetyMargin How much earlier than others may end its session a leader stops
 * leading. By default, a tenth of the time to live.
 * @param operationTimeout Time allowed for one operation of the store. By default, a
 * quarter of the time to live, and 5 seconds at most.
 * @param pollInterval How often leases are read where changes are not pushed. By default,
 * a tenth of the time to live.
 * @param drainTimeout How long a resignation or shutdown waits for gated calls and
 * candidates to finish. When it has passed, work is interrupted where it may be, and the
 * lease released after another time to live at most. By default, 25 seconds.
 * @param cooldown How long this process does not lead after it has resigned. By default,
 * a quarter of the time to live.
 * @param startingDeadline How long after a fire time that was missed a recorded job can
 * still be started. By default, 10 minutes, and at least three times the time to live.
 * @param defaultElection Name of the election that gated methods belong to when they name
 * none. By default, the name of the application.
 * @param interruptOnLoss Whether a thread that runs a gated method is interrupted when
 * leadership is lost meanwhile.
 * @param readiness Which processes accept traffic.
 * @param readinessElection Name of the election whose leader alone is ready, where
 * readiness depends on leadership. By default, the default election.
 * @param prefix Prefix of the names under which elections are stored, to keep
 * applications apart that share a database. Code and configuration use the names without
 * it.
 * @param componentFailure What becomes of leadership when a component that belongs to the
 * leader does not start.
 * @param elections Settings of single elections, by name. Put names in square brackets
 * unless they consist of letters, digits, hyphens and underscores.
 * @param gate the gate before methods that run on the leader only
 * @param candidate what this process makes known of itself
 * @param store Which store keeps the leases, where both can be used.
 * @param mongodb where MongoDB keeps the leases
 * @param jdbc where a relational database keeps the leases
 * @param web answers to clients of a web application
 * @param locks locks under names that are made up at run time
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
	 * Bind the properties, for what is made before beans that hold properties are.
	 */
	static LeaderElectionProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate(PREFIX, LeaderElectionProperties.class);
	}

	/** Return what is set for all elections, as it could be for one. */
	Election all() {
		return new Election(this.ttl, this.renewInterval, this.safetyMargin, this.operationTimeout, this.pollInterval,
				this.drainTimeout, this.cooldown, this.startingDeadline, false, List.of(), this.componentFailure);
	}

	/** Return whether there are elections, and what becomes of gated methods if not. */
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
	 * What becomes of gated methods and candidates when leader election is disabled.
	 */
	public enum WhenDisabled {

		/**
		 * This process leads every election by itself.
		 */
		RUN,

		/**
		 * Nobody leads: gated methods are skipped.
		 */
		SKIP

	}

	/**
	 * What becomes of leadership when a component does not start.
	 */
	public enum ComponentFailure {

		/**
		 * This process goes on to lead, and tries again.
		 */
		RETRY,

		/**
		 * This process tries again, and resigns when it has failed three times in a row.
		 */
		RESIGN

	}

	/**
	 * What keeps the leases.
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
		 * Those that are ready, whether they lead or not.
		 */
		APPLICATION,

		/**
		 * The leader alone, if it is ready.
		 */
		LEADER

	}

	/**
	 * Settings of one election.
	 *
	 * @param ttl How long a process counts as alive after its last heartbeat. When set,
	 * the other durations of this election follow from it unless they are set for this
	 * election too; the drain timeout and the starting deadline are still those of all
	 * elections, where these are set.
	 * @param renewInterval as for all elections
	 * @param safetyMargin as for all elections
	 * @param operationTimeout as for all elections
	 * @param pollInterval as for all elections
	 * @param drainTimeout as for all elections
	 * @param cooldown as for all elections
	 * @param startingDeadline as for all elections
	 * @param stand Whether this process stands in the election even if no gated method
	 * and no candidate names it.
	 * @param components Names of beans, and ids of containers of listeners, that are
	 * started and stopped with the leader of this election.
	 * @param componentFailure What becomes of leadership when one of these components
	 * does not start. By default, what is set for all elections.
	 */
	public record Election(@Nullable Duration ttl, @Nullable Duration renewInterval, @Nullable Duration safetyMargin,
			@Nullable Duration operationTimeout, @Nullable Duration pollInterval, @Nullable Duration drainTimeout,
			@Nullable Duration cooldown, @Nullable Duration startingDeadline, boolean stand,
			@DefaultValue List<String> components, @Nullable ComponentFailure componentFailure) {

	}

	/**
	 * The gate before methods that run on the leader only.
	 *
	 * @param order Order of the gate among the advice of a method. By default, the gate
	 * is the outermost, so that a skipped call opens no transaction.
	 */
	public record Gate(@DefaultValue("-2147483648") int order) {

	}

	/**
	 * What this process makes known of itself.
	 *
	 * @param address Address at which other processes and people can reach this process.
	 * @param version Version of the application. By default, the version it was built
	 * with, where known.
	 */
	public record Candidate(@Nullable String address, @Nullable String version) {

	}

	/**
	 * Where MongoDB keeps the leases.
	 *
	 * @param database Name of the database. By default, the one of the application.
	 */
	public record Mongodb(@Nullable String database) {

	}

	/**
	 * Where a relational database keeps the leases.
	 *
	 * @param initializeSchema Whether to create the tables at startup.
	 * @param tablePrefix What the names of the tables begin with, perhaps with a schema
	 * and a dot before.
	 */
	public record Jdbc(@DefaultValue("embedded") InitializeSchema initializeSchema,
			@DefaultValue("leader_election_") String tablePrefix) {

		InvalidElectionSettingException invalidPrefix(IllegalArgumentException cause) {
			return new InvalidElectionSettingException(PREFIX + ".jdbc.table-prefix",
					ElectionNames.printable(this.tablePrefix), "can't be what names of tables begin with",
					"Use up to 57 lower-case letters, digits and underscores, perhaps with a schema and a dot before",
					cause);
		}

	}

	/**
	 * Which databases get the tables. As Spring Boot's mode of initialization, which not
	 * every application has on its class path.
	 */
	public enum InitializeSchema {

		/**
		 * All.
		 */
		ALWAYS,

		/**
		 * Those that are embedded.
		 */
		EMBEDDED,

		/**
		 * None.
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
	 * Locks under names that are made up at run time.
	 *
	 * @param enabled Whether there are locks. Who uses none pays nothing for them.
	 * @param ttl How long a process that holds locks counts as alive after its last
	 * heartbeat. By default, that of elections, whose other durations apply then, too.
	 * The drain timeout of elections always applies, their cooldown never.
	 * @param collection Name of the collection that keeps locks.
	 * @param unusedFor For how long nobody must have acquired a lock before it is removed
	 * from the store; 1 minute to 365 days.
	 */
	public record Locks(@DefaultValue("true") boolean enabled, @Nullable Duration ttl,
			@DefaultValue("leader_election_locks") String collection, @DefaultValue("1h") Duration unusedFor) {

	}

}
