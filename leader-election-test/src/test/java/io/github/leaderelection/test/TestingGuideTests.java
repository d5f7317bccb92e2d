package io.github.leaderelection.test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the guide shows the code that is compiled and run here.
 */
class TestingGuideTests {

	private static final Path EXAMPLE = Path.of("src/test/java/io/github/leaderelection/test/example");

	@Test
	void javaSnippetsMatchTheExample() throws IOException {
		assertThat(snippets("java example")).containsExactly(code("Invoices.java"), code("InvoicesTests.java"),
				code("MissedInvoicesTests.java"), code("InvoicesControllerTests.java"));
	}

	@Test
	void artifactCoordinatesMatchThePom() throws IOException {
		String pom = Files.readString(Path.of("pom.xml"));
		for (String element : List.of("groupId", "artifactId", "version")) {
			assertThat(pom).contains(find("<%1$s>[^<]+</%1$s>".formatted(element), snippets("xml").get(0)).get(0));
		}
	}

	@Test
	void tableOfMethodsIsComplete() throws IOException {
		assertThat(new TreeSet<>(find("(?<=^\\| `)\\w+(?=\\()", guide())))
			.isEqualTo(Stream.of(LeadershipControl.class.getDeclaredMethods())
				.filter((method) -> Modifier.isPublic(method.getModifiers()))
				.map(Method::getName)
				.collect(Collectors.toCollection(TreeSet::new)));
	}

	/** Return the code after the imports. */
	private static String code(String file) throws IOException {
		String source = Files.readString(EXAMPLE.resolve(file));
		return source.substring(source.indexOf("\n@") + 1);
	}

	private static List<String> snippets(String language) throws IOException {
		return find("(?<=^```" + language + "\\n)[^`]+(?=^```)", guide());
	}

	private static List<String> find(String regex, String text) {
		return Pattern.compile(regex, Pattern.MULTILINE).matcher(text).results().map(MatchResult::group).toList();
	}

	private static String guide() throws IOException {
		return Files.readString(Path.of("../docs/testing.md"));
	}

}
