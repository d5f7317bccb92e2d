package io.github.leaderelection.spring;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.leaderelection.LeaderOnly;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes up class hierarchies and calls every method of them that can be reached, by each
 * type that declares it: what is annotated is gated, or the bean is refused, and nothing
 * else is. What a call leads to is not deduced but tried, on the bean without its proxy.
 */
class LeaderOnlyHierarchyTests {

	private static final int COUNT = Integer.getInteger("hierarchies.count", 1_000);

	private static final long FIRST = Long.getLong("hierarchies.first", 0);

	private static final int BATCH = 500;

	private static final Logger PROXIES = (Logger) LoggerFactory.getLogger("org.springframework.aop.framework");

	private final Map<String, Integer> seen = new TreeMap<>();

	/** Each final method is warned of. */
	@BeforeAll
	static void keepSpringQuiet() {
		PROXIES.setLevel(Level.ERROR);
	}

	@AfterAll
	static void letSpringSpeak() {
		PROXIES.setLevel(null);
	}

	@Test
	void whatIsAnnotatedIsGatedOrRefused() {
		List<String> wrong = new ArrayList<>();
		MemoryCompiler compiler = new MemoryCompiler();
		long seed = FIRST;
		int checked = 0;
		while (checked < COUNT) {
			List<HierarchySource> hierarchies = new ArrayList<>();
			for (int i = 0; i < Math.min(BATCH, COUNT - checked + 100); i++) {
				hierarchies.add(new HierarchySource(seed++));
			}
			ClassLoader classLoader = compiler.compile(hierarchies);
			for (HierarchySource hierarchy : hierarchies) {
				if (checked++ < COUNT) {
					check(hierarchy, classLoader, true, wrong);
					check(hierarchy, classLoader, false, wrong);
				}
			}
		}
		assertThat(wrong).as("of seeds from %s, where %s", FIRST, this.seen).isEmpty();
		assertThat(this.seen.keySet()).contains("gated call by a class proxy", "gated call by an interface proxy",
				"free call by a class proxy", "free call by an interface proxy", "refused class proxy",
				"refused interface proxy", "bridge", "default method", "package-private superclass");
	}

	private void check(HierarchySource hierarchy, ClassLoader classLoader, boolean byClass, List<String> wrong) {
		try {
			Class<?> beanClass = classLoader.loadClass(hierarchy.beanClass());
			Expectation expected = new Expectation(beanClass);
			expected.shapes.forEach(this::count);
			Object proxy;
			try {
				proxy = proxy(beanClass, byClass);
			}
			catch (InvalidLeaderOnlyException ex) {
				count(byClass ? "refused class proxy" : "refused interface proxy");
				if (!expected.mayBeRefused(ex, byClass)) {
					wrong.add("refused for no reason: " + ex.getMessage() + "\n" + hierarchy);
				}
				return;
			}
			catch (IllegalArgumentException ex) {
				// What java.lang.reflect.Proxy can't do; such a bean does not start.
				assertThat(ex).hasMessageContaining("non-public interfaces");
				count("impossible interface proxy");
				return;
			}
			expected.bodies.forEach((method, body) -> {
				if (method.getDeclaringClass().isInstance(proxy)) {
					String ran = call(method, proxy);
					boolean gated = expected.isGated(method);
					count((gated ? "gated" : "free") + " call by "
							+ (AopUtils.isJdkDynamicProxy(proxy) ? "an interface" : "a class") + " proxy");
					if (gated && body.equals(ran)) {
						wrong.add("ran ungated: " + method + "\n" + hierarchy);
					}
					else if (!gated && ((ran != null) ? !body.equals(ran) : expected.hasNamesake(method))) {
						// Where packages hide namesakes from each other, a proxy
						// overrides
						// both: it may run the other one, or be stopped in its place.
						count("free call that meets a namesake");
					}
					else if (!Objects.equals(ran, gated ? null : body)) {
						wrong.add("should have run " + (gated ? "nothing" : body) + ", not " + ran + ": " + method
								+ "\n" + hierarchy);
					}
				}
			});
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(hierarchy.toString(), ex);
		}
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
		Object bean = postProcessor.postProcessAfterInitialization(instantiate(beanClass), "bean");
		return new LeaderOnlyVerifier(postProcessor, context).postProcessAfterInitialization(bean, "bean");
	}

	private static Object instantiate(Class<?> beanClass) throws ReflectiveOperationException {
		Constructor<?> constructor = beanClass.getDeclaredConstructor();
		constructor.setAccessible(true);
		return constructor.newInstance();
	}

	/** Return the body that was run, or what was thrown, or {@code null}. */
	private static @Nullable String call(Method method, Object target) {
		HierarchyCalls.take();
		Object[] arguments = new Object[method.getParameterCount()];
		Arrays.fill(arguments, "text");
		method.setAccessible(true);
		try {
			method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			return "thrower of " + ex.getCause();
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
		return HierarchyCalls.take();
	}

	private void count(String what) {
		this.seen.merge(what, 1, Integer::sum);
	}

	/** What a reader expects, from where each call ends without a proxy. */
	private static final class Expectation {

		/** The body that each method leads to. */
		private final Map<Method, String> bodies = new HashMap<>();

		private final Set<String> gatedBodies = new HashSet<>();

		private final Set<String> shapes = new HashSet<>();

		private final boolean gatedClass;

		private boolean annotatedPrivate;

		Expectation(Class<?> beanClass) throws ReflectiveOperationException {
			Object bean = instantiate(beanClass);
			boolean annotatedClass = false;
			for (Class<?> type : LeaderOnlyMethods.hierarchy(beanClass)) {
				annotatedClass |= type.isAnnotationPresent(LeaderOnly.class);
				for (Method method : type.getDeclaredMethods()) {
					boolean annotated = method.isAnnotationPresent(LeaderOnly.class);
					if (Modifier.isPrivate(method.getModifiers())) {
						this.annotatedPrivate |= annotated;
						continue;
					}
					String body = call(method, bean);
					this.bodies.put(method, String.valueOf(body));
					if (annotated) {
						this.gatedBodies.add(body);
					}
					addShapes(method, beanClass);
				}
			}
			this.gatedClass = annotatedClass;
		}

		private void addShapes(Method method, Class<?> beanClass) {
			if (method.isBridge()) {
				this.shapes.add("bridge");
			}
			if (method.isDefault()) {
				this.shapes.add("default method");
			}
			Class<?> type = method.getDeclaringClass();
			if (!type.isInterface() && type != beanClass && !Modifier.isPublic(type.getModifiers())) {
				this.shapes.add("package-private superclass");
			}
		}

		boolean isGated(Method method) {
			return this.gatedClass || this.gatedBodies.contains(this.bodies.get(method));
		}

		boolean mayBeRefused(InvalidLeaderOnlyException ex, boolean byClass) {
			String reason = ex.getReason();
			if (reason.startsWith("a private method")) {
				return this.annotatedPrivate;
			}
			if (reason.startsWith("a final method")) {
				return anyGated((method) -> Modifier.isFinal(method.getModifiers()));
			}
			if (reason.startsWith("a package-private method of another package")) {
				return anyGated(LeaderOnlyMethods::isPackagePrivate);
			}
			if (reason.startsWith("the bean's proxy can't tell it from")) {
				return anyGated(this::hasNamesake);
			}
			if (reason.startsWith("the class has no proxy")) {
				return this.bodies.keySet().stream().anyMatch((method) -> Modifier.isFinal(method.getModifiers()));
			}
			return !byClass && reason.startsWith("the bean is proxied by its interfaces")
					&& anyGated((method) -> !method.getDeclaringClass().isInterface());
		}

		boolean hasNamesake(Method method) {
			return this.bodies.keySet()
				.stream()
				.anyMatch((other) -> method.getName().equals(other.getName())
						&& Arrays.equals(method.getParameterTypes(), other.getParameterTypes())
						&& !this.bodies.get(method).equals(this.bodies.get(other)));
		}

		private boolean anyGated(Function<Method, Boolean> condition) {
			return this.bodies.keySet().stream().anyMatch((method) -> isGated(method) && condition.apply(method));
		}

	}

}
