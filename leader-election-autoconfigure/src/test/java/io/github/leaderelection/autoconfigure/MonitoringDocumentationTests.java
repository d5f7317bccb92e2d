package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.metrics.LeaderElectionMetrics;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that {@code docs/monitoring} is right: its table lists the meters that exist, the
 * dashboard and the alert rules query nothing else, and the rules fire when they should.
 */
class MonitoringDocumentationTests {

	private static final Path DOCS = Path.of("../docs/monitoring");

	/** Rows of the table: name, type, tags, unit. */
	private static final Set<String> METERS = new TreeSet<>();

	/** Names of meters without a description; observations can't describe theirs. */
	private static final Set<String> UNDESCRIBED = new TreeSet<>();

	/** A scrape as soon as there is a leader, one sample a line. */
	private static final List<String> FIRST_SAMPLES = new ArrayList<>();

	/** A scrape when everything has happened. */
	private static final List<String> SAMPLES = new ArrayList<>();

	@TempDir
	private Path directory;

	@BeforeAll
	static void measure() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
					LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
					LeaderElectionMetricsAutoConfiguration.class, MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, PrometheusMetricsExportAutoConfiguration.class,
					ObservationAutoConfiguration.class))
			.withBean(RecordStores.class, InMemoryRecordStores::new)
			.withBean(Job.class)
			.run((context) -> {
				PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
				await().until(() -> context.getBean(LeaderElection.class).isLeader("jobs"));
				FIRST_SAMPLES.addAll(registry.scrape().lines().toList());
				Job job = context.getBean(Job.class);
				assertThat(context.getBean(JobRuns.class).run("jobs", "report", Instant.now(), (run) -> {
				})).isEqualTo(JobRuns.Result.RAN);
				assertThatIllegalStateException()
					.isThrownBy(() -> context.getBean(JobRuns.class).run("jobs", "report", Instant.now(), (run) -> {
						throw new IllegalStateException();
					}));
				letAllHappen(context.getBean(LeaderElectionMetrics.class));
				// One run ends its observation; the scrape is in the middle of the next.
				job.run(() -> {
				});
				job.run(() -> SAMPLES.addAll(registry.scrape().lines().toList()));
				registry.getMeters()
					.stream()
					.filter((meter) -> meter.getId().getName().startsWith("leader.election."))
					.forEach((meter) -> {
						METERS.add(row(meter));
						if (meter.getId().getDescription() == null && meter.getId().getTag("method") == null) {
							UNDESCRIBED.add(meter.getId().getName());
						}
					});
			});
	}

	/** An event that has never happened has no timer. */
	private static void letAllHappen(LeaderElectionMetrics metrics) {
		for (boolean well : new boolean[] { true, false }) {
			for (StoreOperation operation : StoreOperation.values()) {
				metrics.onStoreCall(operation, 1, well);
			}
			metrics.onDrain("jobs", 1, well);
			metrics.onCallEnded("jobs", 1, !well);
		}
	}

	@Test
	void tableListsExactlyTheExistingMeters() throws IOException {
		assertThat(documentedMeters()).isEqualTo(METERS);
		assertThat(UNDESCRIBED).isEmpty();
	}

	@Test
	void readmeStatesTheNumberOfSeries() throws IOException {
		long election = series(SAMPLES, "[{,]election=", "[{,](name|method)=");
		long job = series(SAMPLES, "[{,]name=", "_job_runs_");
		assertThat(read("README.md"))
			.contains("An election has %d series in Prometheus at first, and %d at most"
				.formatted(series(FIRST_SAMPLES, "[{,]election=", "[{,](name|method)="), election))
			.contains("A recorded job has %d".formatted(job));
		assertThat(election).isLessThanOrEqualTo(28);
		assertThat(job).isLessThanOrEqualTo(14);
	}

	private static long series(List<String> samples, String with, String without) {
		return samples.stream()
			.filter((sample) -> sample.startsWith("leader_election_"))
			.filter(Pattern.compile(with).asPredicate())
			.filter(Pattern.compile(without).asPredicate().negate())
			.count();
	}

	@Test
	void dashboardAndRulesQueryExistingMeters() throws IOException {
		List<String> queries = JsonPath.read(read("dashboard.json"), "$.panels[*].targets[*].expr");
		List<String> variables = JsonPath.read(read("dashboard.json"), "$.templating.list[*].definition");
		List<String> rules = matches("(?m)^ +expr: (.+)$", read("alerts.yml")).map((match) -> match.group(1)).toList();
		assertThat(List.of(queries, variables, rules)).allSatisfy((asked) -> assertThat(asked).isNotEmpty()
			.allSatisfy(MonitoringDocumentationTests::assertThatAnswerExists));
	}

	@Test
	void dashboardShowsEveryMeter() throws IOException {
		String dashboard = read("dashboard.json");
		assertThat(METERS.stream().map(MonitoringDocumentationTests::prometheusName)).allSatisfy(
				(name) -> assertThat(dashboard).containsPattern(name + "(_seconds|_total)?(_count|_sum|_max)?\\{"));
	}

	@Test
	void everyAlertIsDocumented() throws IOException {
		List<String> alerts = matches("alert: (\\w+)", read("alerts.yml")).map((match) -> match.group(1)).toList();
		assertThat(matches("(?m)^\\| `(LeaderElection\\w+)` \\|", read("README.md")).map((match) -> match.group(1)))
			.containsExactlyElementsOf(alerts);
		assertThat(matches("alertname: (\\w+)", read("alerts-tests.yml")).map((match) -> match.group(1)))
			.containsAll(alerts);
	}

	@Test
	@org.junit.jupiter.api.Tag("deep")
	void rulesAndConfigurationAreValidAndRulesFireWhenTheyShould() throws Exception {
		requirePromtool();
		assertThat(promtool("check", "rules", DOCS.resolve("alerts.yml"))).isZero();
		assertThat(promtool("check", "config", DOCS.resolve("prometheus.yml"))).isZero();
		assertThat(promtool("test", "rules", DOCS.resolve("alerts-tests.yml"))).isZero();
	}

	@Test
	@org.junit.jupiter.api.Tag("deep")
	void rulesThatFireTooLateAreDetected() throws Exception {
		requirePromtool();
		String rules = read("alerts.yml");
		Files.copy(DOCS.resolve("alerts-tests.yml"), this.directory.resolve("alerts-tests.yml"));
		for (MatchResult limit : matches("expr: .+ [<>=]+ (.+)", rules).toList()) {
			String broken = rules.substring(0, limit.start(1)) + "1e9 * (" + limit.group(1) + ")"
					+ rules.substring(limit.end(1));
			Files.writeString(this.directory.resolve("alerts.yml"), broken);
			assertThat(promtool("test", "rules", this.directory.resolve("alerts-tests.yml"))).as(limit.group())
				.isNotZero();
		}
	}

	private static void requirePromtool() {
		boolean present = Stream.of(System.getenv("PATH").split(":"))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, "promtool")));
		if (!Boolean.getBoolean("promtool.required")) {
			assumeThat(present).as("promtool, from Debian's package prometheus, is on the path").isTrue();
		}
	}

	private int promtool(String command, String what, Path file) throws IOException, InterruptedException {
		Process process = new ProcessBuilder("promtool", command, what, file.toAbsolutePath().normalize().toString())
			.redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("promtool.log").toFile())
			.start();
		try {
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
			return process.exitValue();
		}
		finally {
			process.destroyForcibly();
		}
	}

	/** Every series that a query names must be among the samples. */
	private static void assertThatAnswerExists(String query) {
		assertThat(matches("leader_election_\\w+", query)).isNotEmpty();
		matches("(leader_election_\\w+)(?:\\{([^}]*)})?", query).forEach((series) -> {
			List<String> samples = SAMPLES.stream()
				.filter((sample) -> sample.startsWith(series.group(1) + "{")
						|| sample.startsWith(series.group(1) + " "))
				.toList();
			assertThat(samples).as(series.group()).isNotEmpty();
			matches("(\\w+)(=~?)\"([^\"]*)\"", Objects.requireNonNullElse(series.group(2), "")).forEach((label) -> {
				if (!isAddedByPrometheus(label.group(1))) {
					String value = label.group(2).equals("=") ? Pattern.quote(label.group(3)) : "[^\"]*";
					assertThat(samples).as(label.group())
						.anyMatch(Pattern.compile("[{,]" + label.group(1) + "=\"" + value + "\"").asPredicate());
				}
			});
		});
		matches("by \\(([^)]+)\\)", query).flatMap((by) -> Stream.of(by.group(1).split(", ")))
			.filter((label) -> !isAddedByPrometheus(label))
			.forEach((label) -> assertThat(SAMPLES).as(label).anyMatch((sample) -> sample.contains(label + "=\"")));
	}

	private static boolean isAddedByPrometheus(String label) {
		return label.equals("job") || label.equals("instance");
	}

	private static Set<String> documentedMeters() throws IOException {
		return matches("(?m)^\\| (`leader\\.election\\.[^|]+)\\| ([^|]+)\\| ([^|]*)\\|([^|]*)\\| (.+) \\|$",
				read("README.md").lines()
					.takeWhile((line) -> !line.startsWith("## Observations"))
					.collect(Collectors.joining("\n")))
			.map((row) -> row(row.group(1), row.group(2), row.group(3), row.group(4)))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String row(Meter meter) {
		String tags = meter.getId()
			.getTags()
			.stream()
			.map(Tag::getKey)
			// First what it belongs to, last the outcome.
			.sorted(Comparator.comparing(List.of("election", "name", "operation", "method", "callback", "reason",
					"cause", "result", "outcome", "error")::indexOf))
			.map((key) -> "`" + key + "`")
			.collect(Collectors.joining(", "));
		return row("`" + meter.getId().getName() + "`",
				meter.getId().getType().name().toLowerCase(Locale.ROOT).replace('_', ' '), tags,
				Objects.requireNonNullElse(meter.getId().getBaseUnit(), ""));
	}

	private static String row(String... cells) {
		return Stream.of(cells).map(String::trim).collect(Collectors.joining(" | "));
	}

	private static String prometheusName(String row) {
		return row.substring(1, row.indexOf('`', 1)).replace('.', '_');
	}

	private static Stream<MatchResult> matches(String regex, String text) {
		Matcher matcher = Pattern.compile(regex).matcher(text);
		return matcher.results();
	}

	private static String read(String name) throws IOException {
		return Files.readString(DOCS.resolve(name));
	}

	static class Job {

		@LeaderOnly("jobs")
		void run(Runnable work) {
			work.run();
		}

	}

}
