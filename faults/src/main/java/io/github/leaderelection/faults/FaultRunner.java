package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.leaderelection.faults.FaultSchedule.Planned;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a cluster through faults, checks the histories, and writes a report. Needs its own
 * network namespace, see {@link FaultRun}.
 */
final class FaultRunner {

	private static final Logger logger = LoggerFactory.getLogger(FaultRunner.class);

	/**
	 * The least share of the time in which changes must have been acknowledged. While
	 * nothing can be changed, nobody can be elected and no violation can be found, so a
	 * run without acknowledged changes proves nothing. In a short run the share depends
	 * on the faults drawn: with slow disks alone it is a tenth.
	 */
	private static final double LEAST_ACKNOWLEDGED = 0.05;

	private final FaultSettings settings;

	private final FaultSchedule schedule;

	private final Cluster cluster;

	private final FaultInjector injector;

	private final HistoryWriter faults;

	private int planned;

	private int injected;

	private boolean asPlanned = true;

	private FaultRunner(FaultSettings settings, Cluster cluster) {
		this.settings = settings;
		this.schedule = new FaultSchedule(settings.seed(), settings.kinds(), settings.pairs());
		this.cluster = cluster;
		this.injector = new FaultInjector(cluster, this.schedule);
		this.faults = new HistoryWriter(settings.directory().resolve(History.FAULTS));
	}

	/**
	 * Run, and exit with 0 if there is no violation, 1 if there is one, 2 if the run
	 * could not decide. Exits at once when its standard input is closed.
	 * @param args none: the settings are system properties
	 */
	public static void main(String[] args) {
		endWithParent();
		int exit = 2;
		try {
			exit = run(FaultSettings.fromSystemProperties());
		}
		catch (Exception ex) {
			logger.error("The run has failed", ex);
		}
		Runtime.getRuntime().halt(exit);
	}

	private static void endWithParent() {
		Thread thread = new Thread(() -> {
			try {
				System.in.transferTo(OutputStream.nullOutputStream());
			}
			catch (IOException ex) {
				logger.trace("The parent has ended", ex);
			}
			Runtime.getRuntime().halt(3);
		}, "parent");
		thread.setDaemon(true);
		thread.start();
	}

	private static int run(FaultSettings settings) throws IOException, InterruptedException {
		long started = System.nanoTime();
		List<StoredTerm> stored;
		List<String> errors;
		String servers;
		boolean complete;
		try (Cluster cluster = new Cluster(settings)) {
			cluster.start();
			try (MajorityProbe probe = new MajorityProbe(cluster.servers().probe(),
					settings.directory().resolve(History.MAJORITY))) {
				complete = new FaultRunner(settings, cluster).runRounds(started);
			}
			// By the time the terms are read, every taking is recorded.
			cluster.endCandidates();
			errors = cluster.candidates().stream().flatMap((each) -> each.errors().stream()).toList();
			stored = cluster.servers().terms();
			servers = cluster.servers().version();
		}
		Duration took = Duration.ofNanos(System.nanoTime() - started);
		History history = History.read(settings.directory(), stored);
		List<String> violations = new ArrayList<>(HistoryChecker.violations(history));
		violations.addAll(errors);
		if (history.majority().share() < LEAST_ACKNOWLEDGED) {
			logger.error(
					"The result means little, because changes were acknowledged for only this share of the time: {}",
					history.majority().share());
			complete = false;
		}
		violations.forEach((violation) -> logger.error("Violated: {}", violation));
		String report = new FaultReport(history, violations, took, servers, settings).toMarkdown();
		Files.writeString(settings.directory().resolve(FaultRun.REPORT), report);
		return violations.isEmpty() ? (complete ? 0 : 2) : 1;
	}

	/**
	 * Return whether all rounds went as planned. The history counts even if they did not.
	 */
	private boolean runRounds(long started) throws InterruptedException {
		for (int round = 1; round <= this.settings.rounds()
				&& System.nanoTime() - started < this.settings.atMost().toNanos(); round++) {
			try {
				runRound(round);
			}
			catch (RuntimeException ex) {
				logger.error("Round {} has failed", round, ex);
				return false;
			}
		}
		if (this.injected * 4 < this.planned * 3) {
			logger.error("Only {} of {} faults could be injected", this.injected, this.planned);
			return false;
		}
		return this.asPlanned;
	}

	private void runRound(int round) throws InterruptedException {
		List<Injected> injected = new ArrayList<>();
		for (Planned planned : this.schedule.next()) {
			this.planned++;
			pause(planned.delay());
			long begun = System.nanoTime();
			Injection injection = inject(planned.kind());
			if (injection != null) {
				logger.info("Round {} of {}: {} ({}) for {} ms", round, this.settings.rounds(), planned.kind(),
						injection.target(), planned.length().toMillis());
				injected.add(new Injected(planned, injection, begun));
				this.injected++;
			}
		}
		// Heal the servers first: a candidate that restarts may need them.
		injected.sort(Comparator.comparing((each) -> each.planned.kind().side(), Comparator.reverseOrder()));
		List<FaultRecord> records = new ArrayList<>();
		for (Injected each : injected) {
			pause(each.planned.length().minusNanos(System.nanoTime() - each.begun));
			long healing = System.nanoTime();
			heal(each);
			records.add(new FaultRecord(round, each.planned.kind(), each.injection.target(), each.injection.election(),
					each.begun, healing, System.nanoTime()));
		}
		records.forEach((record) -> record.writeTo(this.faults));
		this.cluster.requireCandidates();
		this.cluster.awaitLeaders();
		pause(this.schedule.peace());
	}

	/** Begin a fault, or skip it if another one makes it impossible. */
	private Injection inject(FaultKind kind) {
		try {
			return this.injector.inject(kind);
		}
		catch (RuntimeException ex) {
			logger.warn("Could not inject: {}", kind, ex);
			return null;
		}
	}

	/** Heal a fault. If that fails, the others must still be healed. */
	private void heal(Injected injected) {
		try {
			injected.injection.heal().run();
		}
		catch (RuntimeException ex) {
			logger.error("Could not heal: {}", injected.planned.kind(), ex);
			this.asPlanned = false;
		}
	}

	private static void pause(Duration duration) throws InterruptedException {
		if (duration.toMillis() > 0) {
			Thread.sleep(duration.toMillis());
		}
	}

	/**
	 * A fault that has begun.
	 *
	 * @param planned the plan
	 * @param injection the injected fault
	 * @param begun a time just before it began
	 */
	private record Injected(Planned planned, Injection injection, long begun) {

	}

}
