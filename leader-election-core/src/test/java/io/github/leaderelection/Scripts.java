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
 * Scripts of short steps, which are in pages, and which a test class gives a meaning.
 */
public final class Scripts {

	private Scripts() {
	}

	/**
	 * Return arguments of a parameterized test, from the fences {@code script} of a page
	 * under a heading: what is expected in a line, and its script in lines that are
	 * indented.
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

	/** Run the steps of a script, and tell at which one it fails. */
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
