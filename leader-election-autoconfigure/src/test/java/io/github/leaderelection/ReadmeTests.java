package io.github.leaderelection;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README is a promise: its snippets compile and bind, its table is complete, and the
 * commands it names exist.
 */
class ReadmeTests {

	private static final Path ROOT = Path.of("..");

	private static final List<String> IMPORTS = List.of("com.mongodb.client.*", "com.mongodb.client.model.*",
			"io.github.leaderelection.*", "io.github.leaderelection.mongodb.*", "java.util.concurrent.*",
			"org.springframework.scheduling.annotation.*", "org.springframework.stereotype.*");

	@TempDir
	private Path classes;

	@TestFactory
	Stream<DynamicTest> javaSnippetCompiles() throws IOException {
		return snippets("java").stream().map((code) -> DynamicTest.dynamicTest(title(code), () -> {
			assertThat(compile(code)).isEmpty();
		}));
	}

	@Test
	void snippetThatDoesNotCompileIsFound() {
		assertThat(compile("class Broken implements Candidate { }")).contains("not abstract");
	}

	@TestFactory
	Stream<DynamicTest> yamlSnippetBinds() throws IOException {
		return snippets("yaml").stream().map((yaml) -> DynamicTest.dynamicTest(title(yaml), () -> {
			bind(yaml);
		}));
	}

	@Test
	void tableOfPropertiesIsComplete() throws IOException {
		TreeSet<String> documented = new TreeSet<>();
		Matcher row = Pattern.compile("^\\| `(leader-election\\.[^`]+)` \\|", Pattern.MULTILINE).matcher(readme());
		while (row.find()) {
			documented.add(row.group(1).replace(".<name>.*", ""));
		}
		assertThat(documented).isEqualTo(propertiesInMetadata());
	}

	@Test
	void commandsExist() throws IOException {
		assertThat(snippets("sh")).containsExactly("sample-app/run\n", "./mvnw verify\n");
		assertThat(ROOT.resolve("sample-app/run")).isExecutable();
		assertThat(Files.readString(ROOT.resolve(".ci/run"))).containsPattern("\\./mvnw .*verify");
	}

	@Test
	void starterIsNamedAsItIs() throws IOException {
		String pom = Files.readString(ROOT.resolve("leader-election-starter/pom.xml"));
		String snippet = snippets("xml").get(0);
		for (String element : List.of("artifactId", "version")) {
			assertThat(pom).contains(element(snippet, element));
		}
	}

	private static String element(String xml, String name) {
		Matcher matcher = Pattern.compile("<%1$s>[^<]+</%1$s>".formatted(name)).matcher(xml);
		assertThat(matcher.find()).isTrue();
		return matcher.group();
	}

	private static void bind(String yaml) throws IOException {
		MutablePropertySources sources = new MutablePropertySources();
		for (PropertySource<?> source : new YamlPropertySourceLoader().load("readme",
				new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
			sources.addLast(source);
		}
		sources.addLast(new MapPropertySource("application", Map.of("spring.application.name", "shop")));
		Binder binder = new Binder(ConfigurationPropertySources.from(sources),
				new PropertySourcesPlaceholdersResolver(sources));
		binder.bind("leader-election", Bindable.of(LeaderElectionProperties.class),
				new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
	}

	private static TreeSet<String> propertiesInMetadata() throws IOException {
		String json = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);
		List<String> names = JsonPath.read(json, "$.properties[*].name");
		return new TreeSet<>(names);
	}

	private String compile(String code) {
		StringBuilder unit = new StringBuilder();
		IMPORTS.forEach((name) -> unit.append("import ").append(name).append(";\n"));
		unit.append(code);
		JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///Snippet.java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return unit;
			}

		};
		StringWriter problems = new StringWriter();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> options = List.of("-proc:none", "-nowarn", "-d", this.classes.toString(), "-classpath",
				System.getProperty("java.class.path"));
		boolean compiled = compiler.getTask(problems, null, null, options, null, List.of(source)).call();
		return compiled ? "" : "Does not compile: " + problems;
	}

	private static List<String> snippets(String language) throws IOException {
		List<String> snippets = new ArrayList<>();
		Matcher matcher = Pattern.compile("^```" + language + "\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL)
			.matcher(readme());
		while (matcher.find()) {
			snippets.add(matcher.group(1));
		}
		assertThat(snippets).isNotEmpty();
		return snippets;
	}

	private static String title(String snippet) {
		Matcher matcher = Pattern.compile("class \\w+|[\\w-]+:").matcher(snippet);
		return matcher.find() ? matcher.group() : "snippet";
	}

	private static String readme() throws IOException {
		return Files.readString(ROOT.resolve("README.md"));
	}

}
