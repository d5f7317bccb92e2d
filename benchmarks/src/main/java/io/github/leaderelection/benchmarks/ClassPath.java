package io.github.leaderelection.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The class path of this JVM, by the names of artifacts.
 */
final class ClassPath {

	private static final Pattern JAR = Pattern.compile("(.+?)-(\\d.*)\\.jar");

	private final Map<String, Path> entries = new LinkedHashMap<>();

	private ClassPath(Collection<Path> entries) {
		for (Path entry : entries) {
			this.entries.put(artifact(entry), entry);
		}
	}

	static ClassPath current() {
		return new ClassPath(
				Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).map(Path::of).toList());
	}

	/**
	 * Return the artifact's id, or the directory's name of a module that is not packaged.
	 */
	private static String artifact(Path entry) {
		String file = entry.getFileName().toString();
		Matcher jar = JAR.matcher(file);
		if (jar.matches()) {
			return jar.group(1);
		}
		return Files.isDirectory(entry) ? module(entry).getFileName().toString() : file;
	}

	/** Return the directory of the module whose target directory holds the entry. */
	private static Path module(Path entry) {
		return Objects.requireNonNull(Objects.requireNonNull(entry.toAbsolutePath().getParent()).getParent());
	}

	Path entry(String artifact) {
		return Objects.requireNonNull(this.entries.get(artifact), artifact);
	}

	String version(String artifact) {
		Matcher jar = JAR.matcher(entry(artifact).getFileName().toString());
		return jar.matches() ? jar.group(2) : "unknown";
	}

	/**
	 * Return an artifact and its transitive dependencies, according to the POMs beside
	 * them.
	 */
	Set<String> closure(String root) {
		Set<String> closure = new LinkedHashSet<>();
		Deque<String> open = new ArrayDeque<>(List.of(root));
		while (!open.isEmpty()) {
			String artifact = open.remove();
			if (this.entries.containsKey(artifact) && closure.add(artifact)) {
				open.addAll(dependencies(pom(entry(artifact))));
			}
		}
		return closure;
	}

	/** Return a value of {@code -classpath}. */
	String of(Collection<String> artifacts) {
		return artifacts.stream()
			.map((artifact) -> entry(artifact).toString())
			.collect(Collectors.joining(File.pathSeparator));
	}

	/** Return the size of an artifact, or of its classes if it is not packaged. */
	long bytes(String artifact) {
		try (Stream<Path> files = Files.walk(entry(artifact))) {
			return files.filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path pom(Path entry) {
		Path beside = entry.resolveSibling(entry.getFileName().toString().replaceFirst("\\.jar$", ".pom"));
		return Files.isRegularFile(beside) && !beside.equals(entry) ? beside
				: module(entry).resolve(".flattened-pom.xml");
	}

	private static List<String> dependencies(Path pom) {
		List<String> artifacts = new ArrayList<>();
		for (Element dependencies : children(parse(pom), "dependencies")) {
			for (Element dependency : children(dependencies, "dependency")) {
				boolean optional = text(dependency, "optional").equals("true");
				if (!optional && Set.of("", "compile", "runtime").contains(text(dependency, "scope"))) {
					artifacts.add(text(dependency, "artifactId"));
				}
			}
		}
		return artifacts;
	}

	private static Element parse(Path pom) {
		try {
			return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
		}
		catch (IOException | SAXException | ParserConfigurationException ex) {
			throw new IllegalStateException("Cannot read " + pom.getFileName(), ex);
		}
	}

	private static String text(Element element, String name) {
		return children(element, name).stream().map(Element::getTextContent).findFirst().orElse("").strip();
	}

	private static List<Element> children(Element element, String name) {
		List<Element> children = new ArrayList<>();
		for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
			if (child instanceof Element found && found.getTagName().equals(name)) {
				children.add(found);
			}
		}
		return children;
	}

}
