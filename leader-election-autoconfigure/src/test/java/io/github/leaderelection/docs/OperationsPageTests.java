package io.github.leaderelection.docs;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.engine.ElectionSettings;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the manifest leaves enough time for a shutdown.
 */
class OperationsPageTests {

	private static final Duration CRASH_OF_PRIMARY = Duration.ofSeconds(12);

	private static final Duration LONGER_TTL = Duration.ofSeconds(30);

	private final Page page = Page.of("docs/operations.md");

	private final Map<String, Object> podSpec = podSpec();

	@Test
	void gracePeriodIsTheSumOfAllSteps() {
		List<Integer> limits = this.page.text()
			.lines()
			.filter((line) -> line.matches("\\|.*\\| \\d+ \\|"))
			.map((line) -> Integer.valueOf(line.replaceAll(".*\\| (\\d+) \\|", "$1")))
			.toList();
		assertThat(limits).hasSize(5);
		assertThat(this.podSpec.get("terminationGracePeriodSeconds"))
			.isEqualTo(limits.stream().mapToInt(Integer::intValue).sum());
		assertThat(limits.get(0)).isEqualTo(preStopSeconds());
		assertThat(limits.get(3)).isEqualTo((int) ElectionSettings.DEFAULT_DRAIN_TIMEOUT.toSeconds());
	}

	@Test
	void leaderSurvivesAnOutageForAsLongAsDocumented() {
		assertThat(this.page.text())
			.contains("`ttl - renew-interval - safety-margin`, %d s by default"
				.formatted(survived(ElectionSettings.DEFAULT_TTL).toSeconds()))
			.contains("(about %d s). A TTL of %d s leaves more room".formatted(CRASH_OF_PRIMARY.toSeconds(),
					LONGER_TTL.toSeconds()));
		assertThat(survived(ElectionSettings.DEFAULT_TTL)).isGreaterThanOrEqualTo(CRASH_OF_PRIMARY);
		assertThat(survived(LONGER_TTL)).isGreaterThan(survived(ElectionSettings.DEFAULT_TTL));
	}

	/**
	 * The leader renews its session and reads its lease once per interval, and both may
	 * be due just then.
	 */
	private static Duration survived(Duration ttl) {
		ElectionSettings settings = ElectionSettings.of(ttl);
		return ttl.minus(settings.renewInterval()).minus(settings.safetyMargin());
	}

	@SuppressWarnings("unchecked")
	private Object preStopSeconds() {
		Map<String, Object> container = ((List<Map<String, Object>>) this.podSpec.get("containers")).get(0);
		return map(map(map(container, "lifecycle"), "preStop"), "sleep").get("seconds");
	}

	private Map<String, Object> podSpec() {
		Map<String, Object> manifest = new Yaml().load(this.page.snippets("yaml").get(0).text());
		return map(map(map(manifest, "spec"), "template"), "spec");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> map(Map<String, Object> parent, String key) {
		return (Map<String, Object>) parent.get(key);
	}

}
