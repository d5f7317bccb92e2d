package io.github.leaderelection;

import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.params.provider.Arguments;

/**
 * Scripts of short steps, which a test class gives a meaning.
 */
public final class Scripts {

	private Scripts() {
	}

	/**
	 * Return arguments of a parameterized test: what is expected in a line, and its
	 * script in lines that are indented.
	 */
	public static Stream<Arguments> of(String text) {
		return Stream.of(text.split("\n(?! )")).map((rule) -> Arguments.of((Object[]) rule.split("\n", 2)));
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
