package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ElectionSettings}.
 */
class ElectionSettingsTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@Test
	void defaultsFollowFromTheTtl() {
		ElectionSettings settings = ElectionSettings.of(ElectionSettings.DEFAULT_TTL);
		assertThat(settings.ttl()).isEqualTo(Duration.ofSeconds(20));
		assertThat(settings.renewInterval()).isEqualTo(Duration.ofSeconds(5));
		assertThat(settings.safetyMargin()).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.operationTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.drainTimeout()).isEqualTo(Duration.ofSeconds(25));
		assertThat(settings.cooldown()).isEqualTo(Duration.ofSeconds(5));
	}

	@ParameterizedTest
	@ValueSource(longs = { 100, 101, 999, 60_000, 86_400_000 })
	void defaultsAreValidForEveryValidTtl(long ttl) {
		assertThatNoException().isThrownBy(() -> ElectionSettings.of(Duration.ofMillis(ttl)));
	}

	@Test
	void boundaryValuesAreValid() {
		assertThatNoException().isThrownBy(() -> with((it) -> it.safetyMargin(Duration.ofMillis(200))));
		assertThatNoException().isThrownBy(
				() -> with((it) -> it.renewInterval(Duration.ofMillis(4999)).operationTimeout(Duration.ofSeconds(4))));
		assertThatNoException().isThrownBy(() -> with((it) -> it.drainTimeout(Duration.ZERO).cooldown(Duration.ZERO)));
	}

	@ParameterizedTest
	@MethodSource
	void invalidSettingsAreExplained(Supplier<ElectionSettings> settings, String name, String value, String message) {
		assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(settings::get).satisfies((ex) -> {
			assertThat(ex.getName()).isEqualTo(name);
			assertThat(ex.getValue()).isEqualTo(value);
			assertThat(ex).hasMessage(message)
				.hasMessage("%s (%s) %s. %s".formatted(name, value, ex.getReason(), ex.getRemedy()));
			assertThat(ex.getRemedy()).doesNotEndWith(".");
		});
	}

	static Stream<Arguments> invalidSettingsAreExplained() {
		String range = "Choose a value in that range, or remove the setting to use its default";
		return Stream.of(
				invalid(() -> ElectionSettings.of(Duration.ofMillis(99)), "ttl", "99 ms",
						"must be between 100 ms and 1 d. " + range),
				invalid(() -> ElectionSettings.of(Duration.ofDays(1).plusMillis(1)), "ttl", "1 d 0.001 s",
						"must be between 100 ms and 1 d. " + range),
				invalid(() -> ElectionSettings.of(Duration.ofSeconds(-20)), "ttl", "-20 s",
						"must be between 100 ms and 1 d. " + range),
				invalid(() -> ElectionSettings.of(Duration.ofSeconds(Long.MAX_VALUE)), "ttl",
						"106751991167300 d 15 h 30 min 7 s", "must be between 100 ms and 1 d. " + range),
				invalid(() -> ElectionSettings.of(Duration.ofNanos(10_000_500_000L)), "ttl", "10.0005 s",
						"must be a whole number of milliseconds. Use a value such as 20s or 1500ms"),
				invalid(() -> with((it) -> it.renewInterval(Duration.ZERO)), "renew-interval", "0 s",
						"must be between 1 ms and 10 s. " + range),
				invalid(() -> with((it) -> it.renewInterval(HOUR)), "renew-interval", "1 h",
						"must be between 1 ms and 10 s. " + range),
				invalid(() -> with((it) -> it.safetyMargin(Duration.ofNanos(1))), "safety-margin", "0.000001 ms",
						"must be between 1 ms and 10 s. " + range),
				invalid(() -> with((it) -> it.operationTimeout(Duration.ofMillis(-1500))), "operation-timeout",
						"-1.5 s", "must be between 1 ms and 10 s. " + range),
				invalid(() -> with((it) -> it.pollInterval(HOUR)), "poll-interval", "1 h",
						"must be between 1 ms and 10 s. " + range),
				invalid(() -> with((it) -> it.drainTimeout(Duration.ofSeconds(-1))), "drain-timeout", "-1 s",
						"must be between 0 s and 1 d. " + range),
				invalid(() -> with((it) -> it.cooldown(Duration.ofDays(2))), "cooldown", "2 d",
						"must be between 0 s and 1 d. " + range),
				invalid(() -> with((it) -> it.safetyMargin(Duration.ofMillis(199))), "safety-margin", "199 ms",
						"must be at least 2 % of ttl (10 s), to cover clocks that run at different rates. "
								+ "Remove the setting to use a tenth of ttl"),
				invalid(() -> with(
						(it) -> it.renewInterval(Duration.ofSeconds(5)).operationTimeout(Duration.ofSeconds(4))),
						"renew-interval", "5 s",
						"must leave time for another heartbeat before the last one runs out: renew-interval (5 s) + "
								+ "operation-timeout (4 s) + safety-margin (1 s) must be shorter than ttl (10 s). "
								+ "Shorten one of the three, or raise ttl: those that are not set grow with it"));
	}

	private static Arguments invalid(Supplier<ElectionSettings> settings, String name, String value, String rest) {
		return Arguments.of(settings, name, value, "%s (%s) %s".formatted(name, value, rest));
	}

	private static ElectionSettings with(UnaryOperator<ElectionSettings.Builder> changes) {
		return changes.apply(ElectionSettings.of(Duration.ofSeconds(10)).toBuilder()).build();
	}

}
