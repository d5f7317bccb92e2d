package io.github.leaderelection.autoconfigure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.engine.ElectionSettings;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is configured: the application has valid settings for each election, or is
 * told which key is wrong and what to do.
 */
class ElectionSettingsBindingPropertyTests {

	private static final List<String> NAMES = List.of("ttl", "renew-interval", "safety-margin", "operation-timeout",
			"poll-interval", "drain-timeout", "cooldown");

	@Property(tries = 1000)
	void configurationIsValidOrRefusedByItsKey(@ForAll("configurations") Map<String, String> configuration) {
		ElectionSettingsResolver resolver;
		try {
			resolver = new ElectionSettingsResolver(bind(configuration));
		}
		catch (InvalidElectionSettingException ex) {
			assertThat(ex.getMessage()).startsWith("leader-election.").doesNotContain("null");
			assertThat(ex.getReason()).isNotBlank();
			assertThat(ex.getRemedy()).isNotBlank();
			return;
		}
		catch (BindException ex) {
			// More than a duration can be.
			assertThat(ex.getProperty()).isNotNull();
			assertThat(configuration.get(ex.getProperty().getName().toString())).hasSizeGreaterThan(15);
			return;
		}
		for (String election : List.of("x", "other")) {
			ElectionSettings settings = resolver.apply(election);
			assertThat(settings.renewInterval().plus(settings.operationTimeout()).plus(settings.safetyMargin()))
				.isLessThan(settings.ttl());
		}
	}

	private static LeaderElectionProperties bind(Map<String, String> configuration) {
		return new Binder(new MapConfigurationPropertySource(configuration))
			.bindOrCreate(LeaderElectionProperties.PREFIX, Bindable.of(LeaderElectionProperties.class));
	}

	@Provide
	Arbitrary<Map<String, String>> configurations() {
		Arbitrary<String> keys = Arbitraries.of("", "elections.x.")
			.flatMap((prefix) -> Arbitraries.of(NAMES).map((name) -> "leader-election." + prefix + name));
		Arbitrary<String> numbers = Arbitraries.oneOf(Arbitraries.longs().between(0, 100), Arbitraries.longs())
			.map(String::valueOf);
		Arbitrary<String> values = Arbitraries.oneOf(
				numbers
					.flatMap((number) -> Arbitraries.of("", "ns", "us", "ms", "s", "m", "h", "d").map(number::concat)),
				Arbitraries.of("PT20S", "-PT20S", "PT0S", "P1D", "PT0.0000001S", "P106751991167300D",
						"PT2562047788015215H30M7.5S"));
		return Arbitraries.maps(keys, values).ofMinSize(0).ofMaxSize(5).map(HashMap::new);
	}

}
