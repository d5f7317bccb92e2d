package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * Builds an {@link ElectionEngine} outside of Spring Boot, whose auto-configuration
 * creates one. For use by one thread.
 */
public final class ElectionEngineBuilder {

	private final LeaseStore store;

	private final Map<String, ElectionSettings> settings = new HashMap<>();

	private final List<ElectionListener> listeners = new ArrayList<>();

	private CandidateRegistry registry = new CandidateRegistry(new InMemoryRecordStores(), "");

	private ElectionSettings defaults = ElectionSettings.of(ElectionSettings.DEFAULT_TTL);

	private Executor callbackExecutor = daemonThreads("leader-election-callback-");

	private EngineClock clock = EngineClock.SYSTEM;

	private @Nullable String application;

	private @Nullable String version;

	private @Nullable String address;

	ElectionEngineBuilder(LeaseStore store) {
		this.store = store;
	}

	/**
	 * Set where this process announces itself. If not set, processes do not see which
	 * candidates there are; elections work all the same.
	 * @param newRegistry the registry
	 * @return this builder
	 */
	public ElectionEngineBuilder registry(CandidateRegistry newRegistry) {
		this.registry = newRegistry;
		return this;
	}

	/**
	 * Set the name of the application, with which candidate ids begin.
	 * @param name the name, {@code null} for {@code application}
	 * @return this builder
	 */
	public ElectionEngineBuilder application(@Nullable String name) {
		this.application = name;
		return this;
	}

	/**
	 * Set the version of the application, which is shown to people.
	 * @param newVersion the version
	 * @return this builder
	 */
	public ElectionEngineBuilder version(String newVersion) {
		this.version = newVersion;
		return this;
	}

	/**
	 * Set where this process can be reached. The address is shown to people, and to
	 * callers that another process rejects because this one leads.
	 * @param newAddress the address, such as {@code http://web-1:8080}
	 * @return this builder
	 */
	public ElectionEngineBuilder address(String newAddress) {
		this.address = newAddress;
		return this;
	}

	/**
	 * Set the settings of all elections that have no settings of their own.
	 * @param newDefaults the settings; those of the default time to live if not set
	 * @return this builder
	 */
	public ElectionEngineBuilder settings(ElectionSettings newDefaults) {
		this.defaults = newDefaults;
		return this;
	}

	/**
	 * Set the settings of one election.
	 * @param election the election name
	 * @param own its settings
	 * @return this builder
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public ElectionEngineBuilder settings(String election, ElectionSettings own) {
		ElectionNames.requireValid(election);
		this.settings.put(election, own);
		return this;
	}

	/**
	 * Add a listener.
	 * @param listener the listener to notify
	 * @return this builder
	 */
	public ElectionEngineBuilder listener(ElectionListener listener) {
		this.listeners.add(listener);
		return this;
	}

	/**
	 * Set the executor of callbacks of candidates and listeners.
	 * @param executor runs each task on a thread of its own, never the caller's, without
	 * any limit on the number of threads; uses daemon threads if not set
	 * @return this builder
	 */
	public ElectionEngineBuilder callbackExecutor(Executor executor) {
		this.callbackExecutor = executor;
		return this;
	}

	/**
	 * Set the clocks of this process, for tests.
	 * @param newClock the clocks, those of the system if not set
	 * @return this builder
	 */
	public ElectionEngineBuilder clock(EngineClock newClock) {
		this.clock = newClock;
		return this;
	}

	/**
	 * Build an engine, which is a new candidate. It does not take part until it is
	 * {@linkplain ElectionEngine#start() started}. Waits up to a second for the name of
	 * this host.
	 * @return the engine, to be closed after use
	 */
	public ElectionEngine build() {
		Map<String, ElectionSettings> own = Map.copyOf(this.settings);
		ElectionSettings others = this.defaults;
		return new ElectionEngine(CandidateIdentity.create(this.application, this.version, this.address), this.store,
				this.registry, (election) -> own.getOrDefault(election, others), this.callbackExecutor, this.listeners,
				this.clock);
	}

	/**
	 * Return an executor whose tasks never wait for each other, as callbacks require. It
	 * reuses its daemon threads, and ends them when they have been idle for some seconds.
	 * @param prefix the prefix of thread names
	 * @return the executor
	 */
	public static Executor daemonThreads(String prefix) {
		AtomicLong number = new AtomicLong();
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, prefix + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
	}

}
