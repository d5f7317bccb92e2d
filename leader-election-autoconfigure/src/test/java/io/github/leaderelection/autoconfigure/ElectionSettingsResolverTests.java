package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.engine.ElectionSettings;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ElectionSettingsResolver}.
 */
class ElectionSettingsResolverTests {

	private static final List<String> NAMES = List.of("ttl", "renew-interval", "safety-margin", "operation-timeout",
			"poll-interval", "drain-timeout", "cooldown");

	@Test
	void defaultTtlMatchesTheEngine() {
		assertThat(LeaderElectionProperties.bind(new MockEnvironment()).ttl()).isEqualTo(ElectionSettings.DEFAULT_TTL);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "elections.[nightly/report]." })
	void everySettingApplies(String key) {
		ElectionSettings settings = resolver(Map.of(key + "ttl", "40s", key + "renew-interval", "1s",
				key + "safety-margin", "2s", key + "operation-timeout", "3s", key + "poll-interval", "4s",
				key + "drain-timeout", "5s", key + "cooldown", "6s"))
			.settings("nightly/report");
		assertThat(settings)
			.isEqualTo(new ElectionSettings(Duration.ofSeconds(40), Duration.ofSeconds(1), Duration.ofSeconds(2),
					Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(5), Duration.ofSeconds(6)));
	}

	@Test
	void electionWithOwnTtlDerivesAllDurationsExceptDrainTimeout() {
		ElectionSettingsResolver resolver = resolver(
				Map.of("renew-interval", "1s", "cooldown", "9s", "drain-timeout", "7s", "elections.x.ttl", "60s"));
		assertThat(resolver.settings("x")).isEqualTo(
				ElectionSettings.of(Duration.ofSeconds(60)).toBuilder().drainTimeout(Duration.ofSeconds(7)).build());
		assertThat(resolver.settings("y").renewInterval()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void electionWithoutItsOwnTtlInheritsTheGlobalSettings() {
		ElectionSettings settings = resolver(
				Map.of("ttl", "40s", "renew-interval", "1s", "elections.x.safety-margin", "2s"))
			.settings("x");
		assertThat(settings.ttl()).isEqualTo(Duration.ofSeconds(40));
		assertThat(settings.renewInterval()).isEqualTo(Duration.ofSeconds(1));
		assertThat(settings.safetyMargin()).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(4));
	}

	@Test
	void longestDrainTimeoutIsFoundAmongAllElections() {
		ElectionSettingsResolver resolver = resolver(Map.of("ttl", "30s", "elections.x.ttl", "10s", "elections.y.ttl",
				"90s", "elections.x.drain-timeout", "40s"));
		assertThat(resolver.longestDrainTimeout()).isEqualTo(Duration.ofSeconds(40));
	}

	@Test
	void conflictingGlobalDurationsAreRefused() {
		assertRefused(Map.of("renew-interval", "15s"))
			.withMessageStartingWith("leader-election.renew-interval (15 s) must leave time for another heartbeat")
			.withMessageContainingAll("operation-timeout (5 s) + safety-margin (2 s) must be shorter", "Shorten one");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					elections.nightly-report.renew-interval | 15s     | leader-election.elections.nightly-report.renew-interval (15 s) must leave time
					ttl                                     | 20      | leader-election.ttl (20 ms) must be between 100 ms and 1 d
					elections.[Nightly Report].ttl          | 0s      | leader-election.elections.[Nightly Report].ttl (0 s) must be between
					elections.[ ].ttl                       | 20s     | leader-election.elections.[ ] ( ) is not a valid name
					""")
	void invalidSettingIsReportedWithItsKey(String key, String value, String message) {
		assertRefused(Map.of(key, value)).withMessageStartingWith(message);
	}

	@Test
	void overlongNamesAreRefused() {
		assertRefused(Map.of("elections.%s.ttl".formatted("n".repeat(300)), "20s"))
			.withMessageContaining("leader-election.elections.nnn")
			.withMessageContaining("has 300 characters. Use at most 200");
		assertRefused(Map.of("default-election", "n".repeat(300)))
			.withMessageStartingWith("leader-election.default-election (nnn")
			.withMessageContaining("Use at most 200");
	}

	@ParameterizedTest
	@ValueSource(strings = { "renew-interval", "safety-margin", "operation-timeout", "poll-interval", "drain-timeout",
			"cooldown" })
	void negativeDurationIsRefusedByItsKey(String name) {
		assertRefused(Map.of(name, "-1s"))
			.withMessageStartingWith("leader-election.%s (-1 s) must be between".formatted(name));
		assertRefused(Map.of("elections.x." + name, "-1s"))
			.withMessageStartingWith("leader-election.elections.x.%s (-1 s) must be between".formatted(name));
	}

	@Test
	void invalidPrefixIsRefused() {
		assertRefused(Map.of("prefix", "shop\nINFO forged"))
			.withMessageStartingWith("leader-election.prefix (shop?INFO forged) is not a valid name");
		assertRefused(Map.of("prefix", "\u2003")).withMessageContaining("is blank");
		assertRefused(Map.of("prefix", "p".repeat(300))).withMessageContaining("Use at most 200");
	}

	@Test
	void prefixAndNameTogetherHaveALengthLimit() {
		String name = "n".repeat(196);
		assertThat(resolver(Map.of("prefix", "abc.")).settings(name)).isNotNull();
		assertThatExceptionOfType(InvalidElectionSettingException.class)
			.isThrownBy(() -> resolver(Map.of("prefix", "abcd.")).settings(name))
			.withMessageStartingWith("leader-election.prefix (abcd.) has 201 characters with election name 'nnn")
			.withMessageEndingWith("Use at most 200 characters for both together");
		assertRefused(Map.of("prefix", "abcd.", "elections." + name + ".stand", "true"))
			.withMessageContaining("has 201 characters");
	}

	/**
	 * Whatever is configured: the application has valid settings for each election, or an
	 * error names the wrong key and the remedy.
	 */
	@Property(tries = 1000)
	void configurationIsValidOrRefusedByItsKey(@ForAll("configurations") Map<String, String> configuration) {
		ElectionSettingsResolver resolver;
		try {
			resolver = resolver(configuration);
		}
		catch (InvalidElectionSettingException ex) {
			assertThat(ex.getMessage()).startsWith("leader-election.").doesNotContain("null");
			assertThat(ex.getDescription()).isNotBlank();
			assertThat(ex.getRemedy()).isNotBlank();
			return;
		}
		catch (BindException ex) {
			// More than a duration can hold.
			assertThat(ex.getProperty()).isNotNull();
			assertThat(configuration.get(ex.getProperty().getName().toString().substring("leader-election.".length())))
				.hasSizeGreaterThan(15);
			return;
		}
		for (String election : List.of("x", "other")) {
			ElectionSettings settings = resolver.settings(election);
			assertThat(settings.renewInterval().plus(settings.operationTimeout()).plus(settings.safetyMargin()))
				.isLessThan(settings.ttl());
		}
	}

	@Provide
	Arbitrary<Map<String, String>> configurations() {
		Arbitrary<String> keys = Arbitraries.of("", "elections.x.")
			.flatMap((prefix) -> Arbitraries.of(NAMES).map((name) -> prefix + name));
		Arbitrary<String> numbers = Arbitraries.oneOf(Arbitraries.longs().between(0, 100), Arbitraries.longs())
			.map(String::valueOf);
		Arbitrary<String> values = Arbitraries.oneOf(
				numbers
					.flatMap((number) -> Arbitraries.of("", "ns", "us", "ms", "s", "m", "h", "d").map(number::concat)),
				Arbitraries.of("PT20S", "-PT20S", "PT0S", "P1D", "PT0.0000001S", "P106751991167300D",
						"PT2562047788015215H30M7.5S"));
		return Arbitraries.maps(keys, values).ofMinSize(0).ofMaxSize(5).map(HashMap::new);
	}

	private static ThrowableAssertAlternative<InvalidElectionSettingException> assertRefused(
			Map<String, String> properties) {
		return assertThatExceptionOfType(InvalidElectionSettingException.class).isThrownBy(() -> resolver(properties));
	}

	static ElectionSettingsResolver resolver(Map<String, String> properties) {
		MapConfigurationPropertySource source = new MapConfigurationPropertySource();
		properties.forEach((name, value) -> source.put("leader-election." + name, value));
		return new ElectionSettingsResolver(
				new Binder(source).bindOrCreate("leader-election", Bindable.of(LeaderElectionProperties.class)));
	}

}
