package io.github.leaderelection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The modules of this project and their dependencies, by their POMs and by their code.
 *
 * @param modules the modules by name, in build order
 */
public record ModuleGraph(Map<String, Module> modules) {

	private static final Path ROOT = Path.of("..");

	private static final Pattern IMPORT = Pattern
		.compile("^import (?:static )?(io\\.github\\.leaderelection[.a-z]*)\\.", Pattern.MULTILINE);

	static ModuleGraph read() {
		Map<String, Module> modules = new LinkedHashMap<>();
		Element list = children(parse(ROOT.resolve("pom.xml")), "modules").get(0);
		for (Element module : children(list, "module")) {
			String name = module.getTextContent();
			Element pom = parse(ROOT.resolve(name).resolve("pom.xml"));
			modules.put(name, new Module(name, isPublished(pom), dependencies(pom), packages(name)));
		}
		return new ModuleGraph(modules);
	}

	/** Return the graph for Mermaid, without dependencies of tests. */
	String draw() {
		StringBuilder drawing = new StringBuilder("graph TD\n");
		this.modules.values()
			.forEach((module) -> module.dependencies()
				.stream()
				.filter((dependency) -> this.modules.containsKey(dependency.artifact()))
				.forEach((dependency) -> drawing.append("    %s %s %s\n".formatted(module.name(),
						dependency.optional() ? "-. optional .->" : "-->", dependency.artifact()))));
		return drawing.toString();
	}

	/** Return the direct and transitive dependencies of a module. */
	Set<String> reachable(String from) {
		Set<String> reached = new TreeSet<>();
		List<String> open = new ArrayList<>(List.of(from));
		while (!open.isEmpty()) {
			this.modules.get(open.remove(0))
				.dependencies()
				.stream()
				.map(Dependency::artifact)
				.filter(this.modules::containsKey)
				.filter(reached::add)
				.forEach(open::add);
		}
		return reached;
	}

	/** Return the modules whose packages the code of a module imports. */
	Set<String> used(String by) {
		Set<String> used = new TreeSet<>();
		for (String source : sources(by)) {
			Matcher matcher = IMPORT.matcher(source);
			while (matcher.find()) {
				this.modules.values()
					.stream()
					.filter((module) -> module.packages().contains(matcher.group(1)))
					.forEach((module) -> used.add(module.name()));
			}
		}
		used.remove(by);
		return used;
	}

	/** Return the modules whose versions a module manages. */
	static Set<String> managed(String by) {
		Set<String> managed = new TreeSet<>();
		children(parse(ROOT.resolve(by).resolve("pom.xml")), "dependencyManagement").forEach(
				(management) -> dependencies(management).forEach((dependency) -> managed.add(dependency.artifact())));
		return managed;
	}

	private static boolean isPublished(Element project) {
		return children(project, "properties").stream()
			.anyMatch((properties) -> text(properties, "maven.deploy.skip").equals("false"));
	}

	private static Set<String> packages(String module) {
		Path directory = ROOT.resolve(module).resolve("src/main/java");
		Set<String> packages = new TreeSet<>();
		javaFiles(directory).forEach((file) -> packages
			.add(directory.relativize(file.getParent()).toString().replace(file.getFileSystem().getSeparator(), ".")));
		return packages;
	}

	/** Return the main code of a module, file by file. */
	public static List<String> sources(String module) {
		return javaFiles(ROOT.resolve(module).resolve("src/main/java")).stream().map(ModuleGraph::readString).toList();
	}

	private static List<Path> javaFiles(Path directory) {
		if (!Files.isDirectory(directory)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String readString(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return the dependencies of the main code, those of other projects included. */
	private static List<Dependency> dependencies(Element parent) {
		List<Dependency> found = new ArrayList<>();
		for (Element dependencies : children(parent, "dependencies")) {
			for (Element dependency : children(dependencies, "dependency")) {
				if (!text(dependency, "scope").equals("test")) {
					found.add(new Dependency(text(dependency, "groupId"), text(dependency, "artifactId"),
							text(dependency, "optional").equals("true")));
				}
			}
		}
		return found;
	}

	private static Element parse(Path pom) {
		try {
			return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
		}
		catch (IOException | SAXException | ParserConfigurationException ex) {
			throw new IllegalStateException("Cannot read " + pom, ex);
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

	/**
	 * A module.
	 *
	 * @param name its name
	 * @param published whether it is published
	 * @param dependencies the dependencies of its main code
	 * @param packages the packages of its main code
	 */
	record Module(String name, boolean published, List<Dependency> dependencies, Set<String> packages) {

		boolean dependsOn(String artifact) {
			return this.dependencies.stream().anyMatch((dependency) -> dependency.artifact().equals(artifact));
		}

	}

	/**
	 * A dependency of a module.
	 *
	 * @param group the group
	 * @param artifact the artifact
	 * @param optional whether users have to add it themselves
	 */
	record Dependency(String group, String artifact, boolean optional) {

	}

}
