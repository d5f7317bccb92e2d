package io.github.leaderelection.spring;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls every method of a hierarchy that can be reached through the proxy, by each type
 * that declares it: annotated methods are gated, or the bean is refused; no other methods
 * are gated.
 */
class LeaderOnlyHierarchyTests {

	private static final Pattern FIRST_TYPE = Pattern.compile("(?:class|interface) (\\w+)");

	static Stream<Hierarchy> hierarchies() {
		return Stream.of(
				// Annotated in a supertype, and overridden
				new Hierarchy("Base.m Bean.m",
						"refused: the bean is proxied by its interfaces, and none of them has the method", """
								class Base {
									@LeaderOnly public String m() { return "ran"; }
									public String r() { return "ran"; }
								}
								interface Other { String r(); }
								class Bean extends Base implements Other { public String m() { return "ran"; } }"""),
				new Hierarchy("Api.m Bean.m", "Api.m", """
						interface Api { @LeaderOnly String m(); String r(); }
						class Bean implements Api {
							public String m() { return "ran"; }
							public String r() { return "ran"; }
						}"""),
				// Annotated in a subtype
				new Hierarchy("Api.m Base.m Bean.m", "Api.m", """
						interface Api { String m(); }
						abstract class Base implements Api { public abstract String m(); }
						class Bean extends Base { @LeaderOnly public String m() { return "ran"; } }"""),
				// Implemented by a class that does not know the interface
				new Hierarchy("Api.m Base.m", "Api.m", """
						public class Base { public String m() { return "ran"; } }""", """
						interface Api { @LeaderOnly String m(); }
						class Bean extends Base implements Api {}"""), new Hierarchy("Api.m Base.m Bean.m", "Api.m", """
						class Base { @LeaderOnly public String m() { return "ran"; } }
						interface Api { String m(); }""", """
						public class Bean extends Base implements Api {}"""),
				// Default methods
				new Hierarchy("Api.m Wide.m", "Api.m Wide.m", """
						interface Wide { @LeaderOnly String m(); default String r() { return "ran"; } }
						interface Api extends Wide { default String m() { return "ran"; } }
						class Bean implements Api {}"""), new Hierarchy("Api.m Bean.m", "Api.m", """
						interface Api { @LeaderOnly default String m() { return "never"; } }
						class Bean implements Api { public String m() { return "ran"; } }"""),
				// Bridges
				new Hierarchy("Api.g(Object) Bean.g(Object) Bean.g(String)", "Api.g(Object)", """
						interface Api<T> { @LeaderOnly String g(T a); String o(T a); }
						class Bean implements Api<String> {
							public String g(String a) { return "ran"; }
							public String o(String a) { return "ran"; }
						}"""), new Hierarchy("Api.g(String) Base.g(Object) Bean.g(String)", "Api.g(String)", """
						abstract class Base<T> { @LeaderOnly public String g(T a) { return "ran"; } }
						interface Api { String g(String a); }
						class Bean extends Base<String> implements Api {}"""),
				new Hierarchy("Api.r Base.r Bean.r", "Api.r", """
						interface Api { @LeaderOnly Object r(); }
						abstract class Base implements Api { public abstract CharSequence r(); }
						class Bean extends Base { public String r() { return "ran"; } }"""),
				// Methods that only look the same
				new Hierarchy("Base.o(String)", "Base.o(String)",
						"""
								class Base { @LeaderOnly String o(String a) { return "ran"; } }
								class Bean extends Base { String o(Object a) { return "ran"; } String o() { return "ran"; } }"""),
				new Hierarchy("Bean.m", "Bean.m", """
						public class Base { String m() { return "ran"; } }""", """
						package other;
						public class Bean extends Base { @LeaderOnly public String m() { return "ran"; } }"""),
				new Hierarchy("Api.m Bean.m", "Api.m", """
						public class Base { String m() { return "ran"; } }""", """
						package other;
						interface Api { @LeaderOnly String m(); }
						class Bean extends Base implements Api { public String m() { return "ran"; } }"""),
				new Hierarchy("Middle.m", "Middle.m", """
						public class Base { Object m() { return "ran"; } }""", """
						package other;
						public class Middle extends Base { @LeaderOnly public String m() { return "ran"; } }""", """
						class Bean extends Middle {}"""), new Hierarchy("Bean.m", "Bean.m", """
						class Base { private String m() { return "ran"; } }
						class Bean extends Base { @LeaderOnly public String m() { return "ran"; } }"""),
				new Hierarchy("refused: a private method is not called through the bean's proxy",
						"refused: a private method is not called through the bean's proxy", """
								class Base { @LeaderOnly private String m() { return "ran"; } }
								class Bean extends Base { public String m() { return "ran"; } }"""),
				// By visibility
				new Hierarchy("Base.m Bean.m", "Base.m Bean.m", """
						class Base { @LeaderOnly String m() { return "ran"; } }
						class Bean extends Base { protected String m() { return "ran"; } }"""),
				new Hierarchy("Base.m Bean.m Middle.m", "Base.m Bean.m Middle.m", """
						public class Base { @LeaderOnly String m() { return "ran"; } }""", """
						public class Middle extends Base { public String m() { return "ran"; } }""", """
						package other;
						public class Bean extends Middle { public String m() { return "ran"; } }"""),
				new Hierarchy(
						"refused: a package-private method of another package is not called through the bean's proxy",
						"refused: a package-private method of another package is not called through the bean's proxy",
						"""
								public class Base { @LeaderOnly String m() { return "ran"; } }""", """
								package other;
								public class Bean extends Base {}"""),
				new Hierarchy(
						"refused: the bean's proxy can't distinguish it from protected java.lang.String other.Middle.m()",
						"refused: the bean's proxy can't distinguish it from protected java.lang.String other.Middle.m()",
						"""
								public class Base { @LeaderOnly String m() { return "ran"; } }""", """
								package other;
								public class Middle extends Base { protected String m() { return "ran"; } }""", """
								class Bean extends Middle {}"""),
				new Hierarchy("Base.m", "Base.m", """
						public class Base { String m() { return "ran"; } }""", """
						package other;
						public class Middle extends Base { private String m() { return "ran"; } }""", """
						@LeaderOnly class Bean extends Middle {}"""),
				// Final
				new Hierarchy("Bean.m", "Bean.m", """
						class Base { public final String r() { return "ran"; } }
						class Bean extends Base { @LeaderOnly String m() { return "ran"; } }"""),
				new Hierarchy("refused: a final method is not called through the bean's proxy", "Api.m", """
						interface Api { @LeaderOnly String m(); }
						class Base { public final String m() { return "ran"; } }
						class Bean extends Base implements Api {}"""),
				// Annotated classes
				new Hierarchy("Api.r Base.m Bean.r", "Api.r", """
						@LeaderOnly interface Api { String r(); }
						class Base { String m() { return "ran"; } }
						class Bean extends Base implements Api { public String r() { return "ran"; } }"""),
				new Hierarchy("Base.m Bean.r", "Base.m Bean.r", """
						@LeaderOnly class Base { protected String m() { return "ran"; } }
						class Bean extends Base { String r() { return "ran"; } }"""));
	}

	@ParameterizedTest
	@MethodSource("hierarchies")
	void annotatedMethodsAreGatedOrRefused(Hierarchy hierarchy) throws Exception {
		Class<?> beanClass = hierarchy.compile();
		assertThat(gated(beanClass, true)).isEqualTo(hierarchy.byClass());
		assertThat(gated(beanClass, false)).isEqualTo(hierarchy.byInterfaces());
	}

	/** Return the methods that did not run, or why the bean is refused. */
	private static String gated(Class<?> beanClass, boolean byClass) throws ReflectiveOperationException {
		Object proxy;
		try {
			proxy = proxy(beanClass, byClass);
		}
		catch (InvalidLeaderOnlyException ex) {
			return "refused: " + ex.getDescription().replaceFirst(".* can't be enforced: ", "");
		}
		TreeSet<String> gated = new TreeSet<>();
		for (Class<?> type : LeaderOnlyMethods.hierarchy(beanClass)) {
			for (Method method : type.isInstance(proxy) ? type.getDeclaredMethods() : new Method[0]) {
				method.setAccessible(true);
				if (method.invoke(proxy, (Object[]) new String[method.getParameterCount()]) == null) {
					gated.add(type.getSimpleName() + "." + method.getName() + parameters(method));
				}
			}
		}
		return String.join(" ", gated);
	}

	private static String parameters(Method method) {
		return Stream.of(method.getParameterTypes())
			.map((type) -> "(" + type.getSimpleName() + ")")
			.collect(Collectors.joining());
	}

	private static Object proxy(Class<?> beanClass, boolean byClass) throws ReflectiveOperationException {
		GenericApplicationContext context = new GenericApplicationContext();
		GateServices services = new GateServices(new GateSettings(GateMode.ENFORCED, true, 0, byClass, "e"),
				LeaderOnlyGate::closed, () -> ObservationRegistry.NOOP, () -> null);
		LeaderOnlyPostProcessor postProcessor = new LeaderOnlyPostProcessor(services, (value) -> value,
				new JobScheduling(() -> null, context.getBeanFactory()));
		context.getBeanFactory().setBeanClassLoader(beanClass.getClassLoader());
		postProcessor.setBeanFactory(context.getBeanFactory());
		postProcessor.setBeanClassLoader(beanClass.getClassLoader());
		Constructor<?> constructor = beanClass.getDeclaredConstructor();
		constructor.setAccessible(true);
		Object bean = postProcessor.postProcessAfterInitialization(constructor.newInstance(), "bean");
		return new LeaderOnlyVerifier(postProcessor, context).postProcessAfterInitialization(bean, "bean");
	}

	/**
	 * Types, one of them called {@code Bean}.
	 *
	 * @param byClass the methods that are gated if the bean is proxied by its class, or
	 * why it is refused
	 * @param byInterfaces the same if it is proxied by its interfaces, if it has any
	 * @param sources the sources of the types, by file
	 */
	record Hierarchy(String byClass, String byInterfaces, String... sources) {

		Class<?> compile() throws ClassNotFoundException {
			Map<String, String> files = new HashMap<>();
			String bean = "";
			for (String source : this.sources) {
				Matcher type = FIRST_TYPE.matcher(source);
				assertThat(type.find()).isTrue();
				boolean other = source.startsWith("package other;");
				String packaged = other ? source : "package shapes;\n" + source;
				files.put((other ? "other." : "shapes.") + type.group(1), packaged.replaceFirst("\n",
						"\nimport io.github.leaderelection.LeaderOnly;\nimport shapes.*;\nimport other.*;\n"));
				if (source.contains("class Bean")) {
					bean = other ? "other.Bean" : "shapes.Bean";
				}
			}
			files.putIfAbsent("other.Unused", "package other; class Unused {}");
			return new MemoryCompiler().compile(files).loadClass(bean);
		}

		@Override
		public String toString() {
			return String.join("\n", this.sources);
		}

	}

}
