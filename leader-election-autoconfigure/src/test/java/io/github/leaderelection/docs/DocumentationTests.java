package io.github.leaderelection.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties;
import io.github.leaderelection.docs.Page.Snippet;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests all pages of the documentation: snippets compile and bind, links have targets,
 * and quoted messages are messages of the library.
 */
class DocumentationTests {

	/**
	 * The languages of fences. The last two are Java that leader-election-test compares
	 * with an example that it runs, and Java of other libraries, not checked.
	 */
	private static final Set<String> LANGUAGES = Set.of("java", "yaml", "xml", "sh", "js", "json", "sql", "log",
			"timeline", "java example", "java unchecked");

	private static final Pattern IMAGE = Pattern.compile("(?:src|srcset)=\"([^\"]*)\"");

	private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");

	/** All at once, each in its own package: the compiler starts slowly. */
	@Test
	void javaSnippetsCompile() {
		SnippetCompiler.compile(snippets("java"));
	}

	@Test
	void workAfterStartupIsDoneOnce() throws Exception {
		String snippet = Page.of("docs/job-api.md")
			.snippets("java")
			.stream()
			.map(Snippet::text)
			.filter((text) -> text.contains("class CatalogImport "))
			.findFirst()
			.orElseThrow();
		ClassLoader loader = SnippetCompiler.compile(snippet);
		String database = SharedMongo.uniqueDatabase();
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			MongoTemplate template = new MongoTemplate(client, database);
			RecordStores stores = new InMemoryRecordStores();
			for (int instance = 0; instance < 2; instance++) {
				application("", stores).withBean(MongoTemplate.class, () -> template)
					.withBean(loader.loadClass("CatalogImport"))
					.run((context) -> {
						LeaderElection elections = context.getBean(LeaderElection.class);
						await().until(() -> elections.isLeader("catalog"));
						await().until(() -> template.findAll(Document.class, "products").size() == 1);
						context.getBean(Candidate.class).onElected(elections.leadership("catalog").orElseThrow());
						assertThat(template.findAll(Document.class, "products")).hasSize(1);
					});
			}
			client.getDatabase(database).drop();
		}
	}

	@TestFactory
	Stream<DynamicTest> applicationStartsWithYamlSnippet() {
		return eachSnippet("yaml", (snippet) -> application(snippet.text()).run((context) -> {
			assertThat(context).hasNotFailed();
			bindStrictly(context.getEnvironment());
		}));
	}

	@Test
	void wrongYamlSnippetIsDetected() {
		for (String wrong : List.of("ttl: 20d", "renew-interval: 20s", "elections: {x: {drain-timeout: -1s}}")) {
			application("leader-election:\n  " + wrong).run((context) -> assertThat(context).as(wrong).hasFailed());
		}
		application("leader-election:\n  tll: 20s").run((context) -> assertThatExceptionOfType(BindException.class)
			.isThrownBy(() -> bindStrictly(context.getEnvironment())));
	}

	/** Otherwise a property that does not exist would have no effect. */
	private static void bindStrictly(Environment environment) {
		Binder.get(environment)
			.bindOrCreate("leader-election", Bindable.of(LeaderElectionProperties.class),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
	}

	@TestFactory
	Stream<DynamicTest> quotedMessageIsLogged() {
		LoggedMessages messages = LoggedMessages.ofTheLibrary();
		return eachSnippet("log", (snippet) -> assertThat(snippet.text().lines()).isNotEmpty()
			.allSatisfy((line) -> assertThat(messages.contain(line)).as(line).isTrue()));
	}

	/** In running text: code with a gap for a value, or with a capital and spaces. */
	@Test
	void messageQuotedInTextExists() {
		LoggedMessages messages = LoggedMessages.ofTheLibrary();
		assertThat(Stream.of("docs/operations.md", "docs/troubleshooting.md").flatMap((page) -> Page.of(page).codes()))
			.filteredOn((code) -> code.matches(".*….*|[A-Z@]\\S* .*"))
			.isNotEmpty()
			.map((message) -> message.replaceAll("^… ?| ?…$", ""))
			.allSatisfy((message) -> assertThat(messages.contain(message)).as(message).isTrue());
	}

	@Test
	void everyCodeBlockIsFoundAndHasAKnownLanguage() {
		assertThat(Page.all()).allSatisfy((page) -> {
			assertThat(page.snippets()).extracting(Snippet::language).isSubsetOf(LANGUAGES);
			assertThat(page.text().lines().filter((line) -> line.contains("```"))).hasSize(2 * page.snippets().size());
		});
	}

	@Test
	void linksLeadSomewhere() {
		for (Page page : Page.withInternals()) {
			Matcher link = LINK.matcher(page.text());
			while (link.find()) {
				assertThat(brokenLink(page, link.group(1), link.group(2))).as("link in %s", page.path()).isEmpty();
			}
		}
	}

	@Test
	void indexLinksToEveryPage() {
		Page index = Page.of("docs/README.md");
		List<Path> linked = LINK.matcher(index.text())
			.results()
			.map((link) -> index.path().resolveSibling(link.group(1)).normalize())
			.toList();
		assertThat(Page.withInternals()).extracting(Page::path)
			.filteredOn((path) -> !path.equals(index.path()))
			.isSubsetOf(linked);
	}

	@Test
	void imagesAreShown() throws IOException {
		try (Stream<Path> files = Files.list(Page.ROOT.resolve("docs/images"))) {
			assertThat(files.map((file) -> "docs/images/" + file.getFileName())).containsExactlyInAnyOrderElementsOf(
					IMAGE.matcher(Page.of("README.md").text()).results().map((image) -> image.group(1)).toList());
		}
	}

	@Test
	void pagesAreShort() {
		assertThat(Page.all())
			.allSatisfy((page) -> assertThat(page.text().lines().count()).as("lines of %s", page.path())
				.isLessThan(page.path().startsWith("docs") ? 220 : 300));
	}

	private static Stream<DynamicTest> eachSnippet(String language, Consumer<Snippet> check) {
		return snippets(language).stream()
			.map((snippet) -> DynamicTest.dynamicTest(snippet.toString(), () -> check.accept(snippet)));
	}

	private static List<Snippet> snippets(String language) {
		List<Snippet> snippets = Page.all().stream().flatMap((page) -> page.snippets(language).stream()).toList();
		assertThat(snippets).isNotEmpty();
		return snippets;
	}

	/** Return the link if it is broken, or an empty text. */
	private static String brokenLink(Page page, String path, String anchor) {
		Path target = path.isEmpty() ? page.path() : page.path().resolveSibling(path).normalize();
		if (!path.isEmpty() && !Files.exists(Page.ROOT.resolve(target))) {
			return path;
		}
		if (anchor == null) {
			return "";
		}
		Page there = path.isEmpty() ? page : Page.of(target.toString());
		return anchors(there).contains(anchor) ? "" : path + "#" + anchor;
	}

	private static Set<String> anchors(Page page) {
		return page.text()
			.lines()
			.filter((line) -> line.matches("#+ .*"))
			.map((line) -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
			.map((title) -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
			.collect(Collectors.toSet());
	}

	private static ApplicationContextRunner application(String yaml) {
		return application(yaml, new InMemoryRecordStores());
	}

	private static ApplicationContextRunner application(String yaml, RecordStores stores) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class))
			.withBean(RecordStores.class, () -> stores)
			.withPropertyValues("spring.application.name=shop")
			.withInitializer((context) -> load(yaml)
				.forEach((source) -> context.getEnvironment().getPropertySources().addLast(source)));
	}

	private static List<PropertySource<?>> load(String yaml) {
		try {
			return new YamlPropertySourceLoader().load("snippet",
					new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
