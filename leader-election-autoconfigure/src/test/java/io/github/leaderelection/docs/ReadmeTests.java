package io.github.leaderelection.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.docs.Page.Snippet;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README is a promise: the commands it names exist, and so does the starter.
 */
class ReadmeTests {

	private final Page readme = Page.of("README.md");

	@Test
	void commandsExist() throws IOException {
		assertThat(this.readme.snippets("sh")).extracting(Snippet::text)
			.containsExactly("sample-app/run\n", "./mvnw verify\n");
		assertThat(Page.ROOT.resolve("sample-app/run")).isExecutable();
		assertThat(Files.readString(Page.ROOT.resolve(".ci/run"))).containsPattern("\\./mvnw .*verify");
	}

	@Test
	void starterIsNamedAsItIs() throws IOException {
		String pom = Files.readString(Page.ROOT.resolve("leader-election-starter/pom.xml"));
		String snippet = this.readme.snippets("xml").get(0).text();
		for (String element : List.of("artifactId", "version")) {
			assertThat(pom).contains(element(snippet, element));
		}
	}

	private static String element(String xml, String name) {
		Matcher matcher = Pattern.compile("<%1$s>[^<]+</%1$s>".formatted(name)).matcher(xml);
		assertThat(matcher.find()).isTrue();
		return matcher.group();
	}

}
