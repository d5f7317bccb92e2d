package io.github.leaderelection.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.leaderelection.docs.Page.Snippet;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the commands and the starter that the README names exist.
 */
class ReadmeTests {

	private final Page readme = Page.of("README.md");

	@Test
	void commandsExist() throws IOException {
		assertThat(this.readme.snippets("sh")).extracting(Snippet::text)
			.containsExactly("sample-app/run\n",
					"""
							./mvnw -q install -Dmaven.test.skip -Dmaven.javadoc.skip -Dcheckstyle.skip -Dspring-javaformat.validate.skip \\
							  -pl leader-election-starter,leader-election-starter-jdbc,leader-election-test,leader-election-bom -am
							""",
					"./mvnw verify\n");
		for (String module : List.of("starter", "test", "bom")) {
			assertThat(Page.ROOT.resolve("leader-election-" + module + "/pom.xml")).exists();
		}
		assertThat(Page.ROOT.resolve("sample-app/run")).isExecutable();
		assertThat(Files.readString(Page.ROOT.resolve(".ci/run"))).containsPattern("\\./mvnw .*verify");
	}

	@Test
	void deepBuildIsDocumentedAndRunByCi() throws IOException {
		String deep = "./mvnw -Pdeep verify";
		assertThat(Files.readString(Page.ROOT.resolve("README.md"))).contains("`" + deep + "`");
		assertThat(Files.readString(Page.ROOT.resolve("CONTRIBUTING.md"))).contains("`" + deep + "`");
		assertThat(Files.readString(Page.ROOT.resolve(".ci/run"))).containsPattern("\\./mvnw .*-Pdeep .*verify");
	}

	/**
	 * Each build runs as many random tries as the parent POM says, and a deep build more.
	 */
	@Test
	void deepBuildTriesMoreAndExcludesNoTests() throws IOException {
		String pom = Files.readString(Page.ROOT.resolve("pom.xml"));
		String deep = Pattern.compile("<id>deep</id>\\s*<properties>(.*?)</properties>", Pattern.DOTALL)
			.matcher(pom)
			.results()
			.map((profile) -> profile.group(1))
			.findFirst()
			.orElseThrow();
		assertThat(deep).contains("<tests.excluded>none</tests.excluded>");
		Map<String, Long> much = numbers(deep);
		assertThat(much).containsKey("simulation.seeds");
		Map<String, Long> little = numbers(pom.substring(0, pom.indexOf("<profiles>")));
		much.forEach((name, number) -> {
			assertThat(number).as(name).isGreaterThan(little.get(name));
			assertThat(pom).contains("<%1$s>${%1$s}</%1$s>".formatted(name));
		});
	}

	private static Map<String, Long> numbers(String properties) {
		return Pattern.compile("<([\\w.-]+)>(\\d+)</\\1>")
			.matcher(properties)
			.results()
			.collect(Collectors.toMap((each) -> each.group(1), (each) -> Long.valueOf(each.group(2)), (a, b) -> a));
	}

	@Test
	void starterCoordinatesMatchThePom() throws IOException {
		String pom = Files.readString(Page.ROOT.resolve("leader-election-starter/pom.xml"));
		String snippet = this.readme.snippets("xml").get(0).text();
		for (String element : List.of("artifactId", "version")) {
			assertThat(pom).contains(element(snippet, element));
		}
		assertThat(this.readme.text()).contains("implementation(\"%s:%s:%s\")".formatted(value(snippet, "groupId"),
				value(snippet, "artifactId"), value(snippet, "version")));
	}

	private static String value(String xml, String name) {
		return element(xml, name).replaceAll("<[^>]+>", "");
	}

	private static String element(String xml, String name) {
		Matcher matcher = Pattern.compile("<%1$s>[^<]+</%1$s>".formatted(name)).matcher(xml);
		assertThat(matcher.find()).isTrue();
		return matcher.group();
	}

}
