package io.github.leaderelection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts of short steps from Markdown pages. A test class gives the steps their meaning.
 */
public final class Scripts {

	private Scripts() {
	}

	/**
	 * Return the arguments of a parameterized test from the code blocks {@code script}
	 * under a heading of a page: each rule is a line that names it, followed by its
	 * script in indented lines.
	 */
	public static Stream<Arguments> of(String page, String heading) throws IOException {
		String text = Files.readString(Path.of("src/test/resources/io/github/leaderelection", page));
		List<Arguments> rules = Pattern.compile("(?m)^## " + heading + "$.*?```script\n(.*?)```", Pattern.DOTALL)
			.matcher(text)
			.results()
			.flatMap((section) -> Stream.of(section.group(1).split("\n(?! )")))
			.map((rule) -> Arguments.of((Object[]) rule.split("\n", 2)))
			.toList();
		assertThat(rules).as("scripts under " + heading).hasSizeGreaterThan(10);
		return rules.stream();
	}

	/** Run the steps of a script, and report the one that fails. */
	public static void run(String script, Consumer<String> meaning) {
		for (String step : script.strip().split("[;\\s]*[;\n]\\s*")) {
			try {
				meaning.accept(step);
			}
			catch (AssertionError ex) {
				throw new AssertionError("'%s': %s".formatted(step, ex.getMessage()), ex);
			}
		}
	}

}
