package io.github.leaderelection.protocol;

import java.io.IOException;
import java.util.stream.Stream;

import io.github.leaderelection.Scripts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays the scripts of the page on the rules of the protocol.
 */
class ElectionScriptTests extends ElectionScript {

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void rule(String rule, String script) {
		run(script);
	}

	static Stream<Arguments> rule() throws IOException {
		return Scripts.of("protocol/rules.md", "\\V*");
	}

}
