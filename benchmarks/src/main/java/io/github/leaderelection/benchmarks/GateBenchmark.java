package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.aopalliance.intercept.MethodInterceptor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Measures what a call costs that only the leader may make, and its alternatives.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class GateBenchmark {

	/** The system property with the URI of MongoDB. */
	static final String URI = "benchmarks.uri";

	private static final String ELECTION = "job";

	/**
	 * The job alone.
	 */
	@Benchmark
	public int job(Gated gated) {
		return gated.unproxied.run();
	}

	/**
	 * The lower bound of anything that Spring AOP puts before a method.
	 */
	@Benchmark
	public int bareInterceptor(Gated gated) {
		return gated.advised.run();
	}

	/**
	 * The job as users gate it.
	 */
	@Benchmark
	public Integer gatedByProxy(Gated gated) {
		return gated.gated.runGated();
	}

	/**
	 * The lower bound of any gate: it reads both clocks to see if a lease is still valid.
	 */
	@Benchmark
	public long clocks() {
		return EngineClock.SYSTEM.nanos() ^ EngineClock.SYSTEM.millis();
	}

	/**
	 * What the library itself does at each call, without Spring.
	 */
	@Benchmark
	public int gate(Gated gated) {
		try (GatedCall call = gated.engine.enter(ELECTION, true)) {
			return (call != null) ? gated.unproxied.run() : 0;
		}
	}

	/**
	 * A lock around each run, with writes as durable as those of leases.
	 */
	@Benchmark
	public void shedLock(Locked locked) {
		locked.executor.executeWithLock((Runnable) locked.job::run, locked.configuration());
	}

	/**
	 * A leader or a follower.
	 */
	@State(Scope.Benchmark)
	public static class Gated {

		/** Whether this process leads. */
		@Param({ "true", "false" })
		public boolean leader;

		private final Job unproxied = new Job();

		private Job advised = this.unproxied;

		private Job gated = this.unproxied;

		@SuppressWarnings("NullAway.Init")
		private ElectionEngine engine;

		@SuppressWarnings("NullAway.Init")
		private AnnotationConfigApplicationContext context;

		/**
		 * Start an application, and wait until it leads, or is paused as a follower.
		 */
		@Setup
		public void start() throws InterruptedException {
			ProxyFactory factory = new ProxyFactory(this.unproxied);
			factory.setProxyTargetClass(true);
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			this.advised = (Job) factory.getProxy();
			this.context = new AnnotationConfigApplicationContext(Application.class,
					LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class);
			this.engine = this.context.getBean(ElectionEngine.class);
			this.gated = this.context.getBean(Job.class);
			LeaderElection elections = this.engine;
			Fleet.await(() -> elections.isLeader(ELECTION));
			if (!this.leader) {
				elections.pause(ELECTION);
				Fleet.await(() -> !elections.isLeader(ELECTION));
			}
		}

		/**
		 * Stop the application.
		 */
		@TearDown
		public void stop() {
			this.context.close();
		}

	}

	/**
	 * A lock provider on a real replica set.
	 */
	@State(Scope.Benchmark)
	public static class Locked {

		private final Job job = new Job();

		private final MongoClient client = MongoClients.create(System.getProperty(URI));

		private final LockingTaskExecutor executor = new DefaultLockingTaskExecutor(
				new MongoLockProvider(this.client.getDatabase("shedlock").withWriteConcern(WriteConcern.MAJORITY)));

		private LockConfiguration configuration() {
			return new LockConfiguration(Instant.now(), ELECTION, Duration.ofSeconds(20), Duration.ZERO);
		}

		/**
		 * Close the connections.
		 */
		@TearDown
		public void stop() {
			this.client.close();
		}

	}

	/**
	 * As little work as possible.
	 */
	public static class Job {

		private int runs;

		/**
		 * Run on any instance.
		 */
		public int run() {
			return this.runs++;
		}

		/**
		 * Run on the leader.
		 */
		@LeaderOnly(ELECTION)
		public Integer runGated() {
			return 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		RecordStores stores() {
			return new InMemoryRecordStores();
		}

		@Bean
		Job job() {
			return new Job();
		}

	}

}
