package io.github.leaderelection.engine;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ElectionNames}.
 */
class ElectionNamesTests {

	@ParameterizedTest
	@ValueSource(strings = { "a", "nightly-report", "Aufräumen", "with space", "a.b$c/d:e", "夜間バッチ" })
	void validNameIsReturned(String name) {
		assertThat(ElectionNames.requireValid(name)).isSameAs(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\0b", "a\rb", "a\u001b[31mb", "a\u2028b", "a\u2029b", "a\u200fb", "a\u202eb", "a\u2066b",
			"a\ud83d", "\ude00a" })
	void unsafeCharactersAreRejected(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> ElectionNames.requireValid(name))
			.withMessageMatching("Election name '[a?b]+(\\[31mb)?' contains U\\+[0-9A-F]{4}, .* Remove it");
	}

	@Test
	void longestNameIsValid() {
		assertThat(ElectionNames.requireValid("x".repeat(ElectionNames.MAX_LENGTH))).hasSize(200);
	}

	@ParameterizedTest
	@MethodSource
	void invalidNameIsExplained(String name, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> ElectionNames.requireValid(name)).withMessage(message);
	}

	static Stream<Arguments> invalidNameIsExplained() {
		return Stream.of(Arguments.of("", "Election name '' is blank. Give the election a name"),
				Arguments.of("  ", "Election name '  ' is blank. Give the election a name"),
				Arguments.of("\u00a0\u200d", "Election name '\u00a0\u200d' is blank. Give the election a name"),
				Arguments.of("\t\n", "Election name '??' is blank. Give the election a name"),
				Arguments.of("x".repeat(300),
						"Election name '" + "x".repeat(40) + "…' has 300 characters. Use at most 200"),
				Arguments.of("\n".repeat(10) + "x".repeat(290),
						"Election name '" + "?".repeat(10) + "x".repeat(30) + "…' has 300 characters. Use at most 200"),
				Arguments.of("two\nlines",
						"Election name 'two?lines' contains U+000A, a control character, line break or mark of text direction. Remove it"),
				Arguments.of("next\u0085line",
						"Election name 'next?line' contains U+0085, a control character, line break or mark of text direction. Remove it"));
	}

}
