package io.github.leaderelection.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@code docs/endpoint.md} describes what the endpoint does.
 */
class EndpointDocumentTests {

	private final String document;

	EndpointDocumentTests() throws IOException {
		this.document = Files.readString(Path.of("../docs/endpoint.md"));
	}

	@Test
	void everyFieldIsExplained() {
		TreeSet<String> fields = fields(ElectionsDescriptor.class);
		fields.addAll(fields(ElectionDescriptor.class));
		fields.addAll(fields(JobDescriptor.class));
		// Names of elections need no explanation.
		fields.removeAll(Set.of("election", "elections"));
		TreeSet<String> explained = new TreeSet<>();
		Matcher row = Pattern.compile("^\\| (`[^|]+`) \\|.*[.] \\|$", Pattern.MULTILINE)
			.matcher(section("## `GET", "## Actions"));
		while (row.find()) {
			explained.addAll(Arrays.asList(row.group(1).replace("`", "").split(", ")));
		}
		assertThat(explained).isEqualTo(fields);
	}

	@Test
	void exampleHasNoOtherFields() {
		String example = section("```json", "```\n\n|").substring("```json".length());
		Map.of("$", ElectionsDescriptor.class, "$.elections.invoices", ElectionDescriptor.class,
				"$.elections.invoices.leader", CandidateDescriptor.class, "$.elections.invoices.candidates[0]",
				CandidateDescriptor.class, "$.elections.invoices.components[0]", ComponentStatus.class,
				"$.elections.invoices.jobs[0]", JobDescriptor.class)
			.forEach((path, type) -> assertThat(fields(type)).as(path)
				.containsAll(JsonPath.<Map<String, ?>>read(example, path).keySet()));
		assertThat(fields(JobRunDescriptor.class))
			.isEqualTo(JsonPath.<Map<String, ?>>read(example, "$.elections.invoices.jobs[0].lastRun").keySet());
	}

	@Test
	void everyFieldOfARunIsExplained() {
		String row = section("| `lastRun` |", "\n");
		assertThat(fields(JobRunDescriptor.class)).allSatisfy((field) -> assertThat(row).contains("`" + field + "`"));
	}

	@Test
	void exampleOfHealthHasNoOtherDetails() throws IOException {
		String section = section("## Health", "It is down");
		String example = section.substring(section.indexOf('{'), section.lastIndexOf('}') + 1);
		TreeSet<String> details = new TreeSet<>(JsonPath.<Map<String, ?>>read(example, "$.details").keySet());
		details.addAll(JsonPath.<Map<String, ?>>read(example, "$.details.elections.invoices").keySet());
		String indicator = Files
			.readString(Path.of("src/main/java/io/github/leaderelection/health/LeaderElectionHealthIndicator.java"));
		assertThat(details).hasSizeGreaterThan(4)
			.allSatisfy((detail) -> assertThat(indicator).contains("\"" + detail + "\","));
	}

	private String section(String start, String end) {
		int from = this.document.indexOf(start);
		return this.document.substring(from, this.document.indexOf(end, from + start.length()));
	}

	private static TreeSet<String> fields(Class<? extends Record> type) {
		TreeSet<String> fields = new TreeSet<>();
		Arrays.stream(type.getRecordComponents()).forEach((component) -> fields.add(component.getName()));
		return fields;
	}

}
