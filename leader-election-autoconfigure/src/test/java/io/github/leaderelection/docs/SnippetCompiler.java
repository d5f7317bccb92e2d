package io.github.leaderelection.docs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.leaderelection.docs.Page.Snippet;
import io.github.leaderelection.spring.MemoryCompiler;

/**
 * Compiles Java snippets without imports.
 */
final class SnippetCompiler {

	private static final String IMPORTS = Stream
		.of("com.mongodb.client.*", "com.mongodb.client.model.*", "io.github.leaderelection.*",
				"io.github.leaderelection.fence.*", "io.github.leaderelection.fence.FencedCollection.Outcome",
				"io.github.leaderelection.integration.*", "io.github.leaderelection.jdbc.*",
				"io.github.leaderelection.lock.*", "io.github.leaderelection.store.RecordStores",
				"javax.sql.DataSource", "io.github.leaderelection.mongodb.*", "java.time.Duration",
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
				"org.springframework.data.mongodb.core.query.Update", "org.springframework.jdbc.core.simple.JdbcClient",
				"org.springframework.jms.annotation.*", "org.springframework.scheduling.*",
				"org.springframework.scheduling.annotation.*", "org.springframework.stereotype.*",
				"org.springframework.transaction.annotation.Transactional",
				"org.springframework.transaction.reactive.TransactionalOperator", "reactor.core.publisher.Mono")
		.map("import %s;\n"::formatted)
		.collect(Collectors.joining());

	/**
	 * Compile a snippet.
	 * @throws IllegalStateException if it does not compile
	 */
	static ClassLoader compile(String code) {
		return new MemoryCompiler().compile(Map.of("Snippet", IMPORTS + code));
	}

	/** Compile all snippets at once, each in its own package. */
	static void compile(List<Snippet> snippets) {
		Map<String, String> sources = new LinkedHashMap<>();
		for (Snippet snippet : snippets) {
			String name = "snippet" + sources.size();
			sources.put(name + "." + snippet.page().path(), "package " + name + ";\n" + IMPORTS + snippet.text());
		}
		new MemoryCompiler().compile(sources);
	}

}
