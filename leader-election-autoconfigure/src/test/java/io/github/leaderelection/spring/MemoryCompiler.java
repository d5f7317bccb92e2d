package io.github.leaderelection.spring;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles many classes at once, in memory.
 */
public final class MemoryCompiler {

	private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

	/**
	 * Compile sources that must be valid.
	 * @param sources the sources by the name of a class
	 */
	public ClassLoader compile(Map<String, String> sources) {
		Map<String, ByteArrayOutputStream> classes = new HashMap<>();
		Map<String, String> broken = compile(sources, classes);
		if (!broken.isEmpty()) {
			throw new IllegalStateException("Not compiled: " + broken);
		}
		return new Loader(classes);
	}

	/** Return the classes that do not compile, and why. */
	private Map<String, String> compile(Map<String, String> texts, Map<String, ByteArrayOutputStream> classes) {
		DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
		List<Source> sources = texts.entrySet()
			.stream()
			.map((source) -> new Source(source.getKey(), source.getValue()))
			.toList();
		List<String> options = List.of("-proc:none", "-nowarn", "-parameters", "-Xmaxerrs", "0", "-classpath",
				System.getProperty("java.class.path"));
		JavaFileManager files = new Files(this.compiler.getStandardFileManager(problems, null, null), classes);
		boolean compiled = this.compiler.getTask(null, files, problems, options, null, sources).call();
		Map<String, String> broken = new HashMap<>();
		for (Diagnostic<? extends JavaFileObject> problem : problems.getDiagnostics()) {
			if (problem.getKind() == Diagnostic.Kind.ERROR && problem.getSource() instanceof Source source) {
				broken.put(source.typeName, problem.getMessage(null));
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
			super(MemoryCompiler.class.getClassLoader());
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
