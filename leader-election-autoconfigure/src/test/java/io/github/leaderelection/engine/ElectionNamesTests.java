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
				Arguments.of("\t\n", "Election name '??' is blank. Give the election a name"),
				Arguments.of("x".repeat(300),
						"Election name '" + "x".repeat(40) + "…' has 300 characters. Use at most 200"),
				Arguments.of("\n".repeat(10) + "x".repeat(290),
						"Election name '" + "?".repeat(10) + "x".repeat(30) + "…' has 300 characters. Use at most 200"),
				Arguments.of("two\nlines", "Election name 'two?lines' contains a control character. Remove it"),
				Arguments.of("next\u0085line", "Election name 'next?line' contains a control character. Remove it"));
	}

}
