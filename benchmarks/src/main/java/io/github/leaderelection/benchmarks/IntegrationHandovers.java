package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import javax.sql.DataSource;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/**
 * Measures handovers of Spring Integration.
 */
final class IntegrationHandovers {

	static final Settings DEFAULTS = new Settings(500, 50, 100);

	static final Settings FASTEST = new Settings(50, 50, 50);

	private IntegrationHandovers() {
	}

	/**
	 * Measure handovers.
	 * @param sources the data sources of the two instances
	 */
	static List<Double> millis(Settings settings, int number, List<DataSource> sources) throws InterruptedException {
		Random random = new Random(1);
		List<Double> millis = new ArrayList<>();
		try (Instance first = new Instance(sources.get(0), settings);
				Instance second = new Instance(sources.get(1), settings)) {
			Fleet.await(() -> first.leads() != second.leads());
			for (int i = 0; i < Rounds.of(number); i++) {
				Thread.sleep(500 + random.nextLong(500));
				Instance leader = first.leads() ? first : second;
				Instance follower = (leader == first) ? second : first;
				long begun = System.nanoTime();
				leader.initiator.stop();
				Fleet.await(follower::leads);
				millis.add((follower.granted - begun) / 1e6);
				leader.initiator.start();
			}
		}
		return millis;
	}

	/**
	 * Settings, all in milliseconds.
	 *
	 * @param heartBeat how long one try for the lock takes, and how often it is renewed
	 * @param busyWait the time between tries
	 * @param idle the time between queries of the database during a try
	 */
	record Settings(long heartBeat, long busyWait, long idle) {

	}

	static final class Instance extends AbstractCandidate implements AutoCloseable {

		private final DefaultLockRepository repository;

		private final LockRegistryLeaderInitiator initiator;

		private volatile long granted;

		private volatile boolean leading;

		Instance(DataSource source, Settings settings) {
			super(UUID.randomUUID().toString(), "leader");
			this.repository = Databases.springIntegration(source);
			JdbcLockRegistry registry = new JdbcLockRegistry(this.repository);
			registry.setIdleBetweenTries(Duration.ofMillis(settings.idle));
			this.initiator = new LockRegistryLeaderInitiator(registry, this);
			this.initiator.setHeartBeatMillis(settings.heartBeat);
			this.initiator.setBusyWaitMillis(settings.busyWait);
			this.initiator.setApplicationEventPublisher((event) -> {
			});
			this.initiator.start();
		}

		boolean leads() {
			return this.leading;
		}

		@Override
		public void onGranted(Context context) {
			this.granted = System.nanoTime();
			this.leading = true;
		}

		@Override
		public void onRevoked(Context context) {
			this.leading = false;
		}

		@Override
		public void close() {
			this.initiator.stop();
			this.repository.close();
		}

	}

}
