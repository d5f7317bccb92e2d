package io.github.leaderelection.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.InvalidSettingException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests that the table of properties matches the code: their names, types, defaults and
 * ranges.
 */
class ConfigurationPageTests {

	private static final String PREFIX = "leader-election.";

	/** A path, because other modules and the tests have such files, too. */
	private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final ElectionSettings DEFAULTS = ElectionSettings.of(ElectionSettings.DEFAULT_TTL);

	private final Map<String, Map<String, Object>> metadata = readMetadata();

	private final Map<String, List<String>> table = table(Page.of("docs/configuration.md"));

	@Test
	void everyPropertyIsListed() {
		assertThat(this.table.keySet()).containsExactlyInAnyOrderElementsOf(this.metadata.keySet());
	}

	@Test
	void typesMatchTheCode() {
		this.table.forEach((key, cells) -> assertThat(cells.get(1)).as("type of %s", key).isEqualTo(type(key)));
	}

	@Test
	void defaultsMatchTheCode() {
		this.table.forEach((key, cells) -> assertDefault(key, cells.get(2)));
	}

	/** As editors show them. */
	@Test
	void everyPropertyIsDescribedAndHintsBelongToProperties() throws IOException {
		assertThat(JsonPath.<List<Map<String, Object>>>read(Files.readString(METADATA), "$.properties")).isNotEmpty()
			.allSatisfy((property) -> assertThat(property).hasEntrySatisfying("description",
					(description) -> assertThat(description).asString().endsWith(".")));
		assertThat(JsonPath.<List<String>>read(Files.readString(METADATA), "$.hints[*].name")).isNotEmpty()
			.allSatisfy((name) -> assertThat(this.metadata).containsKey(name));
	}

	@Test
	void rangesMatchTheCode() {
		for (RecordComponent setting : ElectionSettings.class.getRecordComponents()) {
			String range = this.table.get(PREFIX + kebab(setting)).get(3);
			assertThat(codes(range)).as("range of %s", setting.getName())
				.hasSize(2)
				.satisfiesExactly((least) -> assertThat(duration(least)).isEqualTo(limit(setting, 1)),
						(most) -> assertThat(duration(most)).isEqualTo(limit(setting, 2)));
		}
	}

	private void assertDefault(String key, String cell) {
		String documented = codes(cell).isEmpty() ? "" : codes(cell).get(0);
		Object value = this.metadata.get(key).get("defaultValue");
		RecordComponent setting = setting(key);
		if (value != null || setting == null) {
			assertThat(documented).as("default of %s", key).isEqualTo(Objects.toString(value, ""));
			return;
		}
		assertThat(get(setting, DEFAULTS)).as("default of %s", key).isEqualTo(duration(documented));
		Matcher share = Pattern.compile("ttl / (\\d+)").matcher(cell);
		Duration ttl = Duration.ofSeconds(2);
		assertThat(get(setting, ElectionSettings.of(ttl))).as("default of %s for a ttl of %s", key, ttl)
			.isEqualTo(share.find() ? ttl.dividedBy(Long.parseLong(share.group(1))) : duration(documented));
	}

	private String type(String key) {
		String name = (String) this.metadata.get(key).get("type");
		if (name.startsWith(Map.class.getName())) {
			return "settings by election";
		}
		Class<?> type = ClassUtils.resolveClassName(name, null);
		return type.isEnum() ? "enum" : type.getSimpleName().toLowerCase(Locale.ROOT);
	}

	/** Return the least or the greatest value of a setting, as its refusal says. */
	private static Duration limit(RecordComponent setting, int which) {
		Object[] values = Arrays.stream(ElectionSettings.class.getRecordComponents())
			.map((each) -> each.getName().equals(setting.getName()) ? Duration.ofDays(-1) : get(each, DEFAULTS))
			.toArray();
		InvalidSettingException refusal = catchThrowableOfType(InvalidSettingException.class,
				() -> new ElectionSettings((Duration) values[0], (Duration) values[1], (Duration) values[2],
						(Duration) values[3], (Duration) values[4], (Duration) values[5], (Duration) values[6]));
		assertThat(refusal.getName()).isEqualTo(kebab(setting));
		Matcher limits = Pattern.compile("must be between (ttl|\\d+ \\w+) and (ttl|\\d+ \\w+)")
			.matcher(refusal.getReason());
		assertThat(limits.find()).isTrue();
		return duration(limits.group(which));
	}

	private static Duration duration(String value) {
		return value.equals("ttl") ? DEFAULTS.ttl() : DurationStyle.SIMPLE.parse(value.replace(" ", ""));
	}

	private static RecordComponent setting(String key) {
		return Arrays.stream(ElectionSettings.class.getRecordComponents())
			.filter((each) -> key.equals(PREFIX + kebab(each)))
			.findFirst()
			.orElse(null);
	}

	private static Duration get(RecordComponent setting, ElectionSettings settings) {
		return (Duration) ReflectionUtils.invokeMethod(setting.getAccessor(), settings);
	}

	private static String kebab(RecordComponent setting) {
		return setting.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	/** Return the rows of a page's table of properties, by property. */
	private static Map<String, List<String>> table(Page page) {
		return page.rows("`" + PREFIX)
			.stream()
			.collect(
					Collectors.toMap((cells) -> codes(cells.get(0)).get(0).replace(".<name>.*", ""), (cells) -> cells));
	}

	private static List<String> codes(String cell) {
		return CODE.matcher(cell).results().map((result) -> result.group(1)).toList();
	}

	/**
	 * Values in a map have no metadata. Durations have a separate table.
	 */
	private static Map<String, Map<String, Object>> readSettingsOfOneElection() {
		LeaderElectionProperties.Election election = new Binder().bindOrCreate("none",
				LeaderElectionProperties.Election.class);
		return Arrays.stream(LeaderElectionProperties.Election.class.getRecordComponents())
			.filter((property) -> property.getType() != Duration.class)
			.collect(Collectors.toMap((property) -> PREFIX + "elections.<name>." + kebab(property),
					(property) -> Map.of("type", ClassUtils.resolvePrimitiveIfNecessary(property.getType()).getName(),
							"defaultValue", Objects.requireNonNullElse(
									ReflectionUtils.invokeMethod(property.getAccessor(), election), ""))));
	}

	private static Map<String, Map<String, Object>> readMetadata() {
		try {
			List<Map<String, Object>> properties = JsonPath.read(Files.readString(METADATA), "$.properties");
			Map<String, Map<String, Object>> byName = new LinkedHashMap<>();
			properties.forEach((property) -> byName.put((String) property.get("name"), property));
			byName.keySet().removeIf((name) -> !name.startsWith(PREFIX));
			byName.putAll(readSettingsOfOneElection());
			return byName;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
