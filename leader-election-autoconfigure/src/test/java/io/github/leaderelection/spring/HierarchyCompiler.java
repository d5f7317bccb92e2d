package io.github.leaderelection.spring;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import io.github.leaderelection.LeaderOnly;

/**
 * Compiles many hierarchies at once, in memory, and leaves out those that do not compile.
 */
final class HierarchyCompiler {

	private static final String CLASS_PATH = Stream.of(LeaderOnly.class, HierarchyCalls.class)
		.map((type) -> Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString())))
		.map(Path::toString)
		.collect(Collectors.joining(File.pathSeparator));

	private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

	/** Compile, and leave in the collection only what was compiled. */
	ClassLoader compile(Collection<HierarchySource> hierarchies) {
		while (true) {
			Map<String, ByteArrayOutputStream> classes = new HashMap<>();
			Set<String> broken = compile(hierarchies, classes);
			if (broken.isEmpty()) {
				return new Loader(classes);
			}
			hierarchies.removeIf((hierarchy) -> broken.contains(hierarchy.rootPackage()));
		}
	}

	private Set<String> compile(Collection<HierarchySource> hierarchies, Map<String, ByteArrayOutputStream> classes) {
		DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
		List<Source> sources = hierarchies.stream()
			.flatMap((hierarchy) -> hierarchy.sources().entrySet().stream())
			.map((source) -> new Source(source.getKey(), source.getValue()))
			.toList();
		List<String> options = List.of("-proc:none", "-nowarn", "-Xmaxerrs", "0", "-classpath", CLASS_PATH);
		JavaFileManager files = new Files(this.compiler.getStandardFileManager(problems, null, null), classes);
		boolean compiled = this.compiler.getTask(null, files, problems, options, null, sources).call();
		Set<String> broken = new HashSet<>();
		for (Diagnostic<? extends JavaFileObject> problem : problems.getDiagnostics()) {
			if (problem.getKind() == Diagnostic.Kind.ERROR && problem.getSource() instanceof Source source) {
				broken.add(source.typeName.substring(0, source.typeName.indexOf('.')));
			}
		}
		if (!compiled && broken.isEmpty()) {
			throw new IllegalStateException("Not compiled: " + problems.getDiagnostics());
		}
		return broken;
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String typeName;

		private final String text;

		Source(String typeName, String text) {
			super(URI.create("string:///" + typeName.replace('.', '/') + ".java"), Kind.SOURCE);
			this.typeName = typeName;
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

	private static final class Files extends ForwardingJavaFileManager<JavaFileManager> {

		private final Map<String, ByteArrayOutputStream> classes;

		Files(JavaFileManager fileManager, Map<String, ByteArrayOutputStream> classes) {
			super(fileManager);
			this.classes = classes;
		}

		@Override
		public JavaFileObject getJavaFileForOutput(Location location, String className, JavaFileObject.Kind kind,
				FileObject sibling) {
			return new SimpleJavaFileObject(URI.create("mem:///" + className + ".class"), kind) {

				@Override
				public OutputStream openOutputStream() {
					return Files.this.classes.computeIfAbsent(className, (name) -> new ByteArrayOutputStream());
				}

			};
		}

	}

	private static final class Loader extends ClassLoader {

		private final Map<String, ByteArrayOutputStream> classes;

		Loader(Map<String, ByteArrayOutputStream> classes) {
			super(HierarchyCompiler.class.getClassLoader());
			this.classes = classes;
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			ByteArrayOutputStream bytes = this.classes.get(name);
			if (bytes == null) {
				throw new ClassNotFoundException(name);
			}
			return defineClass(name, bytes.toByteArray(), 0, bytes.size());
		}

	}

}
