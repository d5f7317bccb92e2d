package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.Ordered;

/**
 * Configuration properties for leader election. A property that is not known is an error,
 * since a setting with a mistyped name would silently not apply.
 */
@ConfigurationProperties(prefix = LeaderElectionProperties.PREFIX, ignoreUnknownFields = false)
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
	 * How long a lease outlives its last renewal, and therefore how long the others wait
	 * before they replace a leader that has crashed.
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
	 * Elections that this process stands in besides those that gated methods and
	 * candidates name, and settings of single elections. Put names in square brackets
	 * unless they consist of letters, digits, hyphens and underscores.
	 */
	private final Map<String, Election> elections = new LinkedHashMap<>();

	private final Gate gate = new Gate();

	private final Candidate candidate = new Candidate();

	private final Mongodb mongodb = new Mongodb();

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
		 * How long the lease outlives its last renewal. When set, the other durations of
		 * this election follow from it unless they are set for this election too.
		 */
		private @Nullable Duration ttl;

		public @Nullable Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(@Nullable Duration ttl) {
			this.ttl = ttl;
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

		/**
		 * Whether to create the index that removes candidates that are long gone.
		 */
		private boolean createIndexes = true;

		public @Nullable String getDatabase() {
			return this.database;
		}

		public void setDatabase(@Nullable String database) {
			this.database = database;
		}

		public boolean isCreateIndexes() {
			return this.createIndexes;
		}

		public void setCreateIndexes(boolean createIndexes) {
			this.createIndexes = createIndexes;
		}

	}

}
