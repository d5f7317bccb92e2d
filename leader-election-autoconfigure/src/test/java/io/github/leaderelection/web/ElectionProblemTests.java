package io.github.leaderelection.web;

import java.util.Map;
import java.util.Set;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.lock.LockLostException;
import io.github.leaderelection.lock.LockUnavailableException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProblem}.
 */
class ElectionProblemTests {

	private static final String ODD = "\"},{\\ \u0001\u2028</script>\ud83d\ude00é";

	@Test
	void specialCharactersAreEscaped() {
		NotLeaderException odd = new NotLeaderException(ODD, "it", ODD, ODD);
		assertThat(ElectionProblem.of(odd, true).orElseThrow().toJson()).matches("[ -~&&[^<>]]+");
		DocumentContext json = json(odd, true);
		assertThat(json.<String>read("election")).isEqualTo(ODD);
		assertThat(json.<String>read("leader")).isEqualTo(ODD);
		assertThat(json.<String>read("address")).isEqualTo(ODD);
		assertThat(json.<Integer>read("status")).isEqualTo(503);
		assertThat(json.<Object>read("keys()")).asInstanceOf(InstanceOfAssertFactories.ITERABLE).hasSize(7);
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://me:pass/word@web-1", "http://web-1/?token=word" })
	void credentialsAreNeverShown(String address) {
		NotLeaderException refused = new NotLeaderException("x", "it", "shop@web-1:1-0", address);
		assertThat(json(refused, true).jsonString()).contains("shop@web-1:1-0").doesNotContain("word");
	}

	@Test
	void locksHaveTheirOwnProblemTypes() {
		assertThat(json(new LockLostException(new TestTerm("smith", 1).leadership()), true).<Map<?, ?>>read("$"))
			.isEqualTo(Map.of("type", "tag:leaderelection.github.io,2026:lock-lost", "title", "Lock lost", "status",
					503, "detail", "A lock was lost while this instance served the request. Try again."));
		assertThat(json(new LockUnavailableException("smith"), true).<Map<?, ?>>read("$")).isEqualTo(Map.of("type",
				"tag:leaderelection.github.io,2026:lock-unavailable", "title", "Lock unavailable", "status", 503,
				"detail", "A lock that the request needs could not be acquired in time. Try again."));
	}

	@Test
	void otherFailuresHaveNoProblem() {
		assertThat(ElectionProblem.of(new UnknownElectionException("x", Set.of()), true)).isEmpty();
		assertThat(ElectionProblem.of(new IllegalStateException(new NotLeaderException("x", "it")), true)).isEmpty();
	}

	private static DocumentContext json(Exception refused, boolean exposeLeader) {
		return JsonPath.parse(ElectionProblem.of(refused, exposeLeader).orElseThrow().toJson());
	}

}
