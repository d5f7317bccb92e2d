package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the configuration metadata that editors read.
 */
class ConfigurationMetadataTests {

	private final Map<String, Object> metadata = read();

	@Test
	void everyPropertyIsDescribed() {
		assertThat(items("properties")).isNotEmpty().allSatisfy((property) -> {
			assertThat((String) property.get("description")).as("description of %s", property.get("name"))
				.endsWith(".");
			assertThat((String) property.get("type")).as("type of %s", property.get("name")).isNotBlank();
		});
	}

	@Test
	void defaultsAreShown() {
		assertThat(property("leader-election.ttl")).containsEntry("defaultValue", "20s");
		assertThat(property("leader-election.enabled")).containsEntry("defaultValue", true);
		assertThat(property("leader-election.when-disabled")).containsEntry("defaultValue", "run");
	}

	@Test
	void hintsBelongToProperties() {
		assertThat(items("hints")).isNotEmpty()
			.allSatisfy((hint) -> assertThat(property((String) hint.get("name"))).isNotNull());
	}

	private Map<String, Object> property(String name) {
		return items("properties").stream()
			.filter((property) -> name.equals(property.get("name")))
			.findFirst()
			.orElseThrow();
	}

	@SuppressWarnings("unchecked")
	private List<Map<String, Object>> items(String section) {
		return (List<Map<String, Object>>) this.metadata.get(section);
	}

	private static Map<String, Object> read() {
		// Others have such files too, the tests of this module among them.
		try (InputStream stream = Files
			.newInputStream(Path.of("target/classes/META-INF/spring-configuration-metadata.json"))) {
			return JsonPath.parse(stream).json();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
