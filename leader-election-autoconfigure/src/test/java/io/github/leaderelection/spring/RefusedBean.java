package io.github.leaderelection.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A bean of a table such as {@code refused-beans.txt}, and the expected message.
 *
 * @param source its class, named {@code Jobs}, with other types that it needs
 * @param type the class
 * @param properties the properties of the application
 * @param expected the expected message, or {@code starts}
 */
record RefusedBean(String source, Class<?> type, String[] properties, String expected) {

	private static final String IMPORTS = Stream
		.of("io.github.leaderelection.LeaderOnly", "io.github.leaderelection.LeaderOnly.Otherwise",
				"io.github.leaderelection.LeaderOnly.Recording", "jakarta.annotation.*", "java.io.Closeable",
				"java.lang.annotation.*", "java.util.concurrent.Future", "java.util.concurrent.FutureTask",
				"org.springframework.beans.factory.*", "org.springframework.beans.factory.annotation.Autowired",
				"org.springframework.boot.*", "org.springframework.boot.actuate.endpoint.annotation.*",
				"org.springframework.boot.context.event.*", "org.springframework.boot.context.properties.*",
				"org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent",
				"org.springframework.context.*", "org.springframework.context.annotation.*",
				"org.springframework.context.event.*", "org.springframework.core.Ordered",
				"org.springframework.core.env.Environment",
				"org.springframework.messaging.handler.annotation.MessageMapping",
				"org.springframework.scheduling.annotation.*", "org.springframework.scheduling.config.*",
				"org.springframework.transaction.annotation.Transactional",
				"org.springframework.transaction.event.TransactionalEventListener",
				"org.springframework.web.bind.annotation.*", "reactor.core.publisher.ConnectableFlux",
				"reactor.core.publisher.Mono", "static io.github.leaderelection.spring.JobContexts.NEW_YEAR")
		.map("import %s;"::formatted)
		.collect(Collectors.joining("\n"));

	/** Types of other libraries, which may be missing. */
	private static final Pattern FOREIGN = Pattern.compile("(@?)\\b((?:[a-z]\\w*\\.){2,}[A-Z]\\w*)");

	/** Optional properties, and the source. */
	private static final Pattern BEAN = Pattern.compile("\t(?:\\[(.*?)] )?(.*)");

	/** Return all beans of a table. */
	static List<RefusedBean> all(String table) throws ReflectiveOperationException, IOException {
		List<String> lines = new ClassPathResource(table, RefusedBean.class).getContentAsString(StandardCharsets.UTF_8)
			.lines()
			.toList();
		Map<String, String> sources = new HashMap<>();
		for (int i = 0; i < lines.size(); i++) {
			Matcher bean = BEAN.matcher(lines.get(i));
			if (bean.matches()) {
				sources.put("c" + i + ".Jobs", "package c" + i + ";\n" + IMPORTS + "\n" + bean.group(2));
				addForeign(bean.group(2), sources);
			}
		}
		ClassLoader classLoader = new MemoryCompiler().compile(sources);
		List<RefusedBean> beans = new ArrayList<>();
		String message = "";
		for (int i = 0; i < lines.size(); i++) {
			Matcher bean = BEAN.matcher(lines.get(i));
			if (bean.matches()) {
				beans.add(new RefusedBean(bean.group(2), classLoader.loadClass("c" + i + ".Jobs"),
						(bean.group(1) != null) ? new String[] { bean.group(1) } : new String[0], message));
			}
			else {
				message = lines.get(i);
			}
		}
		return beans;
	}

	private static void addForeign(String source, Map<String, String> sources) {
		Matcher name = FOREIGN.matcher(source);
		while (name.find()) {
			if (!ClassUtils.isPresent(name.group(2), RefusedBean.class.getClassLoader())) {
				String type = name.group(1).isEmpty() ? "public interface " : "@java.lang.annotation.Retention("
						+ "java.lang.annotation.RetentionPolicy.RUNTIME) public @interface ";
				sources.put(name.group(2), "package " + ClassUtils.getPackageName(name.group(2)) + ";\n" + type
						+ ClassUtils.getShortName(name.group(2)) + " {}");
			}
		}
	}

	/** Start an application with the bean, and check the message. */
	void check(ApplicationContextRunner runner) {
		runner.withClassLoader(this.type.getClassLoader())
			.withPropertyValues(this.properties)
			.withBean(this.type)
			.run((context) -> {
				if (this.expected.equals("starts")) {
					assertThat(context).hasNotFailed();
				}
				else {
					assertThat(GateRunner.failure(context).getMessage()).as("Expected %s", this.expected)
						.matches(this::isSaid);
				}
			});
	}

	private boolean isSaid(String message) {
		String expression = Stream.of(this.expected.split("…", -1))
			.map(Pattern::quote)
			.collect(Collectors.joining(".*", "", ""));
		return message.replace(this.type.getPackageName() + ".", "").matches(expression);
	}

	@Override
	public String toString() {
		return this.source;
	}

}
