package io.github.leaderelection.docs;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import io.github.leaderelection.docs.Page.Snippet;

/**
 * Compiles Java snippets, which leave out their imports.
 */
final class SnippetCompiler {

	private static final List<String> IMPORTS = List.of("com.mongodb.client.*", "com.mongodb.client.model.*",
			"io.github.leaderelection.*", "io.github.leaderelection.fence.*",
			"io.github.leaderelection.fence.FencedCollection.Outcome", "io.github.leaderelection.integration.*",
			"io.github.leaderelection.lock.*", "io.github.leaderelection.mongodb.*", "java.time.Duration",
			"io.github.leaderelection.spring.event.*", "java.time.Instant", "java.util.Optional",
			"java.util.concurrent.*", "net.javacrumbs.shedlock.core.LockProvider",
			"net.javacrumbs.shedlock.spring.annotation.*", "org.bson.Document",
			"org.springframework.beans.factory.annotation.Value", "org.springframework.context.*",
			"org.springframework.context.annotation.*", "org.springframework.context.event.*",
			"org.springframework.core.task.support.ContextPropagatingTaskDecorator",
			"org.springframework.data.mongodb.MongoDatabaseFactory",
			"org.springframework.data.mongodb.MongoTransactionManager",
			"org.springframework.data.mongodb.core.MongoTemplate",
			"org.springframework.data.mongodb.core.ReactiveMongoTemplate",
			"static org.springframework.data.mongodb.core.query.Criteria.where",
			"static org.springframework.data.mongodb.core.query.Query.query",
			"org.springframework.data.mongodb.core.query.Update", "org.springframework.jms.annotation.*",
			"org.springframework.scheduling.*", "org.springframework.scheduling.annotation.*",
			"org.springframework.stereotype.*", "org.springframework.transaction.annotation.Transactional",
			"org.springframework.transaction.reactive.TransactionalOperator", "reactor.core.publisher.Mono");

	private final Path classes;

	SnippetCompiler(Path classes) {
		this.classes = classes;
	}

	/** Return what is wrong with the code, empty if nothing. */
	String compile(String code) {
		return compile(Stream.of(source("Snippet", "", code)));
	}

	/**
	 * Compile snippets all at once, each in a package of its own.
	 * @return what is wrong with them, empty if nothing
	 */
	String compile(List<Snippet> snippets) {
		return compile(IntStream.range(0, snippets.size())
			.mapToObj((i) -> source(snippets.get(i).page().path() + "/" + i, "package snippet" + i + ";\n",
					snippets.get(i).text())));
	}

	private String compile(Stream<JavaFileObject> sources) {
		StringWriter problems = new StringWriter();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<String> options = List.of("-proc:none", "-nowarn", "-d", this.classes.toString(), "-classpath",
				System.getProperty("java.class.path"));
		boolean compiled = compiler.getTask(problems, null, null, options, null, sources.toList()).call();
		return compiled ? "" : "Does not compile: " + problems;
	}

	private static JavaFileObject source(String name, String start, String code) {
		StringBuilder unit = new StringBuilder(start);
		IMPORTS.forEach((type) -> unit.append("import ").append(type).append(";\n"));
		unit.append(code);
		return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return unit;
			}

		};
	}

}
