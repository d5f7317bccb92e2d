package io.github.leaderelection.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param path its path from the root of the repository
 * @param text its content
 */
record Page(Path path, String text) {

	static final Path ROOT = Path.of("..");

	private static final Pattern FENCE = Pattern.compile("^```([^\\n]*)\\n(.*?)^```$",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");

	static Page of(String path) {
		try {
			return new Page(Path.of(path), Files.readString(ROOT.resolve(path)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return all pages for users. */
	static List<Page> all() {
		return below(1).filter((page) -> !page.path().startsWith("CONTRIBUTING.md")).toList();
	}

	/** Return all pages, including those for contributors. */
	static List<Page> withInternals() {
		return below(Integer.MAX_VALUE).toList();
	}

	private static Stream<Page> below(int depth) {
		try (Stream<Path> files = Files.walk(ROOT.resolve("docs"), depth)) {
			List<String> docs = files.map((file) -> ROOT.relativize(file).toString())
				.filter((file) -> file.endsWith(".md"))
				.sorted()
				.toList();
			return Stream.concat(Stream.of("README.md", "CONTRIBUTING.md"), docs.stream()).map(Page::of);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return all fenced code blocks. */
	List<Snippet> snippets() {
		List<Snippet> snippets = new ArrayList<>();
		Matcher matcher = FENCE.matcher(this.text);
		while (matcher.find()) {
			snippets.add(new Snippet(this, matcher.group(1), matcher.group(2)));
		}
		return snippets;
	}

	List<Snippet> snippets(String language) {
		return snippets().stream().filter((snippet) -> snippet.language().equals(language)).toList();
	}

	/** Return all code in running text. */
	Stream<String> codes() {
		return CODE.matcher(FENCE.matcher(this.text).replaceAll("")).results().map((code) -> code.group(1));
	}

	/** Return the cells of each row whose first cell begins with the given text. */
	List<List<String>> rows(String start) {
		return this.text.lines()
			.filter((line) -> line.startsWith("| " + start))
			.map((line) -> Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList())
			.toList();
	}

	/**
	 * A fenced code block.
	 *
	 * @param page the page that contains it
	 * @param language the language that the fence names
	 * @param text its content
	 */
	record Snippet(Page page, String language, String text) {

		@Override
		public String toString() {
			Matcher matcher = Pattern.compile("class \\w+|[\\w-]+:").matcher(this.text);
			return "%s: %s".formatted(this.page.path(), matcher.find() ? matcher.group() : this.text.strip());
		}

	}

}
