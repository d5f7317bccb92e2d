package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Configuration properties for leader election.
 */
@ConfigurationProperties(prefix = LeaderElectionProperties.PREFIX)
public class LeaderElectionProperties extends TimingProperties {

	static final String PREFIX = "leader-election";

	/**
	 * Whether this process takes part in elections. If not, no store is used.
	 */
	private boolean enabled = true;

	/**
	 * What becomes of gated methods and candidates when leader election is disabled.
	 */
	private WhenDisabled whenDisabled = WhenDisabled.RUN;

	/**
	 * How long a process counts as alive after its last heartbeat, and so how long others
	 * wait before they replace a leader that has crashed.
	 */
	private Duration ttl = Duration.ofSeconds(20);

	/**
	 * Name of the election that gated methods belong to when they name none. By default,
	 * the name of the application.
	 */
	private @Nullable String defaultElection;

	/**
	 * Whether a thread that runs a gated method is interrupted when leadership is lost
	 * meanwhile.
	 */
	private boolean interruptOnLoss = true;

	/**
	 * Which processes accept traffic.
	 */
	private Readiness readiness = Readiness.APPLICATION;

	/**
	 * Name of the election whose leader alone is ready, where readiness depends on
	 * leadership. By default, the default election.
	 */
	private @Nullable String readinessElection;

	/**
	 * Prefix of the names under which elections are stored, to keep applications apart
	 * that share a database. Code and configuration use the names without it.
	 */
	private String prefix = "";

	/**
	 * What becomes of leadership when a component that belongs to the leader does not
	 * start.
	 */
	private ComponentFailure componentFailure = ComponentFailure.RETRY;

	/**
	 * Settings of single elections, by name. Put names in square brackets unless they
	 * consist of letters, digits, hyphens and underscores.
	 */
	private final Map<String, Election> elections = new LinkedHashMap<>();

	private final Gate gate = new Gate();

	private final Candidate candidate = new Candidate();

	private final Mongodb mongodb = new Mongodb();

	private final Web web = new Web();

	private final Locks locks = new Locks();

	/**
	 * Bind the properties, for what is made before beans that hold properties are.
	 */
	static LeaderElectionProperties bind(Environment environment) {
		return Binder.get(environment).bindOrCreate(PREFIX, LeaderElectionProperties.class);
	}

	/** Return the default election, or {@code null} if there is none. */
	@Nullable String defaultElectionIn(Environment environment) {
		return (this.defaultElection != null) ? this.defaultElection
				: environment.getProperty("spring.application.name");
	}

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public WhenDisabled getWhenDisabled() {
		return this.whenDisabled;
	}

	public void setWhenDisabled(WhenDisabled whenDisabled) {
		this.whenDisabled = whenDisabled;
	}

	public Duration getTtl() {
		return this.ttl;
	}

	public void setTtl(Duration ttl) {
		this.ttl = ttl;
	}

	public @Nullable String getDefaultElection() {
		return this.defaultElection;
	}

	public void setDefaultElection(@Nullable String defaultElection) {
		this.defaultElection = defaultElection;
	}

	public boolean isInterruptOnLoss() {
		return this.interruptOnLoss;
	}

	public void setInterruptOnLoss(boolean interruptOnLoss) {
		this.interruptOnLoss = interruptOnLoss;
	}

	public Readiness getReadiness() {
		return this.readiness;
	}

	public void setReadiness(Readiness readiness) {
		this.readiness = readiness;
	}

	public @Nullable String getReadinessElection() {
		return this.readinessElection;
	}

	public void setReadinessElection(@Nullable String readinessElection) {
		this.readinessElection = readinessElection;
	}

	public String getPrefix() {
		return this.prefix;
	}

	public void setPrefix(String prefix) {
		this.prefix = prefix;
	}

	public ComponentFailure getComponentFailure() {
		return this.componentFailure;
	}

	public void setComponentFailure(ComponentFailure componentFailure) {
		this.componentFailure = componentFailure;
	}

	public Map<String, Election> getElections() {
		return this.elections;
	}

	public Gate getGate() {
		return this.gate;
	}

	public Candidate getCandidate() {
		return this.candidate;
	}

	public Mongodb getMongodb() {
		return this.mongodb;
	}

	public Web getWeb() {
		return this.web;
	}

	public Locks getLocks() {
		return this.locks;
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
	 */
	public static class Election extends TimingProperties {

		/**
		 * How long a process counts as alive after its last heartbeat. When set, the
		 * other durations of this election follow from it unless they are set for this
		 * election too.
		 */
		private @Nullable Duration ttl;

		/**
		 * Whether this process stands in the election even if no gated method and no
		 * candidate names it.
		 */
		private boolean stand;

		/**
		 * Names of beans, and ids of containers of listeners, that are started and
		 * stopped with the leader of this election.
		 */
		private List<String> components = new ArrayList<>();

		/**
		 * What becomes of leadership when one of these components does not start. By
		 * default, what is set for all elections.
		 */
		private @Nullable ComponentFailure componentFailure;

		public @Nullable Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(@Nullable Duration ttl) {
			this.ttl = ttl;
		}

		public boolean isStand() {
			return this.stand;
		}

		public void setStand(boolean stand) {
			this.stand = stand;
		}

		public List<String> getComponents() {
			return this.components;
		}

		public void setComponents(List<String> components) {
			this.components = components;
		}

		public @Nullable ComponentFailure getComponentFailure() {
			return this.componentFailure;
		}

		public void setComponentFailure(@Nullable ComponentFailure componentFailure) {
			this.componentFailure = componentFailure;
		}

	}

	/**
	 * The gate before methods that run on the leader only.
	 */
	public static class Gate {

		/**
		 * Order of the gate among the advice of a method. By default, the gate is the
		 * outermost, so that a skipped call opens no transaction.
		 */
		private int order = Ordered.HIGHEST_PRECEDENCE;

		public int getOrder() {
			return this.order;
		}

		public void setOrder(int order) {
			this.order = order;
		}

	}

	/**
	 * What this process makes known of itself.
	 */
	public static class Candidate {

		/**
		 * Address at which other processes and people can reach this process.
		 */
		private @Nullable String address;

		/**
		 * Version of the application. By default, the version it was built with, where
		 * known.
		 */
		private @Nullable String version;

		public @Nullable String getAddress() {
			return this.address;
		}

		public void setAddress(@Nullable String address) {
			this.address = address;
		}

		public @Nullable String getVersion() {
			return this.version;
		}

		public void setVersion(@Nullable String version) {
			this.version = version;
		}

	}

	/**
	 * Where MongoDB keeps the leases.
	 */
	public static class Mongodb {

		/**
		 * Name of the database. By default, the one of the application.
		 */
		private @Nullable String database;

		public @Nullable String getDatabase() {
			return this.database;
		}

		public void setDatabase(@Nullable String database) {
			this.database = database;
		}

	}

	/**
	 * Answers to clients of a web application.
	 */
	public static class Web {

		/**
		 * Whether an instance that refuses a request because it does not lead tells its
		 * client the candidate id and the address of the leader.
		 */
		private boolean exposeLeader;

		public boolean isExposeLeader() {
			return this.exposeLeader;
		}

		public void setExposeLeader(boolean exposeLeader) {
			this.exposeLeader = exposeLeader;
		}

	}

	/**
	 * Locks under names that are made up at run time.
	 */
	public static class Locks {

		/**
		 * Whether there are locks. Who uses none pays nothing for them.
		 */
		private boolean enabled = true;

		/**
		 * How long a process that holds locks counts as alive after its last heartbeat.
		 * By default, that of elections, whose other durations apply then, too.
		 */
		private @Nullable Duration ttl;

		/**
		 * Name of the collection that keeps locks.
		 */
		private String collection = "leader_election_locks";

		/**
		 * For how long nobody must have acquired a lock before it is removed from the
		 * store.
		 */
		private Duration unusedFor = Duration.ofHours(1);

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public @Nullable Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(@Nullable Duration ttl) {
			this.ttl = ttl;
		}

		public String getCollection() {
			return this.collection;
		}

		public void setCollection(String collection) {
			this.collection = collection;
		}

		public Duration getUnusedFor() {
			return this.unusedFor;
		}

		public void setUnusedFor(Duration unusedFor) {
			this.unusedFor = unusedFor;
		}

	}

}
