package io.github.leaderelection.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Knows the methods that the container calls, rather than somebody who has work for a
 * bean. Some it calls on the bean itself, past its proxy and so past the gate; others
 * through the proxy, but while the application starts or stops, when nobody leads.
 */
final class ContainerCallbacks {

	/** Called on the bean itself, if the container calls them at all. */
	private static final List<Class<?>> ON_THE_BEAN = List.of(InitializingBean.class, DisposableBean.class,
			Aware.class);

	/** Called on every instance to begin or end something. */
	private static final List<Class<?>> WITHOUT_A_LEADER = List.of(Lifecycle.class, SmartInitializingSingleton.class,
			FactoryBean.class, BeanPostProcessor.class, BeanFactoryPostProcessor.class, SchedulingConfigurer.class);

	/**
	 * By what Spring Boot calls on every instance, and only when the application starts.
	 */
	private static final Set<String> RUNNERS = Set.of("org.springframework.boot.ApplicationRunner",
			"org.springframework.boot.CommandLineRunner");

	/** Spring Boot calls the setters of beans that have it. */
	private static final String PROPERTIES = "org.springframework.boot.context.properties.ConfigurationProperties";

	/** With those that extend them; not all need be on the class path. */
	private static final Set<String> STARTUP_EVENTS = Set.of("org.springframework.context.event.ContextRefreshedEvent",
			"org.springframework.boot.context.event.SpringApplicationEvent",
			"org.springframework.boot.web.server.context.WebServerInitializedEvent");

	/** Their methods describe the bean, except for those that do something. */
	private static final List<Class<?>> DESCRIPTIONS = List.of(Lifecycle.class, Phased.class, Ordered.class,
			FactoryBean.class, ApplicationListener.class);

	private static final Set<String> DESCRIBING = Set.of("isRunning", "isAutoStartup", "isPauseable", "getPhase",
			"getOrder", "getObjectType", "isSingleton", "isPrototype", "isEagerInit", "supportsType",
			"supportsAsyncExecution", "supportsEventType", "supportsSourceType", "getListenerId");

	private ContainerCallbacks() {
	}

	/** Return whether a method tells the container what the bean is like. */
	static boolean describes(MethodFamily family) {
		return DESCRIBING.contains(family.implementation().getName()) && isDeclaredBy(family, DESCRIPTIONS);
	}

	/** Return whether the container calls a method on the bean itself. */
	static boolean isCalledOnTheBean(MethodFamily family) {
		return isDeclaredBy(family, ON_THE_BEAN);
	}

	/** Return whether the container calls a method while nobody leads. */
	static boolean isCalledWithoutLeader(MethodFamily family) {
		return !describes(family) && isDeclaredBy(family, WITHOUT_A_LEADER);
	}

	/** Return whether a method is called when the application starts, and never later. */
	static boolean isCalledAtStartup(LeaderOnlyMethod method) {
		List<Method> declarations = method.family().declarations();
		return declarations.stream().anyMatch((each) -> RUNNERS.contains(each.getDeclaringClass().getName()))
				|| declarations.stream()
					.flatMap((declaration) -> eventsOf(declaration, method.type()))
					.anyMatch(ContainerCallbacks::isOfStartup);
	}

	private static Stream<Class<?>> eventsOf(Method method, Class<?> type) {
		MergedAnnotation<EventListener> annotation = MergedAnnotations.from(method).get(EventListener.class);
		if (!annotation.isPresent() && method.getDeclaringClass() != ApplicationListener.class) {
			return Stream.empty();
		}
		Stream<Class<?>> named = annotation.isPresent() ? Arrays.stream(annotation.getClassArray("classes"))
				: Stream.empty();
		return (method.getParameterCount() == 0) ? named
				: Stream.concat(named, Stream.of(ResolvableType.forMethodParameter(method, 0, type).toClass()));
	}

	private static boolean isOfStartup(Class<?> event) {
		return STARTUP_EVENTS.contains(event.getName())
				|| (event.getSuperclass() != null && isOfStartup(event.getSuperclass()));
	}

	private static boolean isDeclaredBy(MethodFamily family, List<Class<?>> interfaces) {
		return family.declarations()
			.stream()
			.map(Method::getDeclaringClass)
			.anyMatch((declaring) -> interfaces.stream().anyMatch((type) -> isOrExtends(declaring, type)));
	}

	/** What interfaces of the application add is not for the container. */
	private static boolean isOrExtends(Class<?> declaring, Class<?> type) {
		return declaring == type || (declaring.isInterface() && type.isAssignableFrom(declaring)
				&& declaring.getName().startsWith("org.springframework."));
	}

	/**
	 * Return whether the container calls a method on the bean itself since the definition
	 * of the bean says so.
	 * @param definition the definition, as the post-processors for annotations left it
	 * @param candidate the method
	 */
	static boolean isNamedBy(RootBeanDefinition definition, LeaderOnlyMethod candidate) {
		return candidate.family()
			.declarations()
			.stream()
			.anyMatch((method) -> definition.isExternallyManagedConfigMember(method) || isInit(method, definition)
					|| isDestroy(method, definition)
					|| (isSetter(method) && isSet(method, definition, candidate.type())));
	}

	private static boolean isSetter(Method method) {
		return method.getParameterCount() == 1 && method.getName().startsWith("set");
	}

	private static boolean isSet(Method method, RootBeanDefinition definition, Class<?> type) {
		Method factoryMethod = definition.getResolvedFactoryMethod();
		int autowireMode = definition.getResolvedAutowireMode();
		return autowireMode == AutowireCapableBeanFactory.AUTOWIRE_BY_NAME
				|| autowireMode == AutowireCapableBeanFactory.AUTOWIRE_BY_TYPE
				|| definition.getPropertyValues()
					.contains(StringUtils.uncapitalizeAsProperty(method.getName().substring(3)))
				|| hasProperties(type) || (factoryMethod != null && hasProperties(factoryMethod));
	}

	private static boolean hasProperties(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(PROPERTIES);
	}

	private static boolean isInit(Method method, RootBeanDefinition definition) {
		return method.getParameterCount() == 0 && (contains(definition.getInitMethodNames(), method)
				|| isNamed(method, definition::isExternallyManagedInitMethod));
	}

	private static boolean isDestroy(Method method, RootBeanDefinition definition) {
		String[] names = definition.getDestroyMethodNames();
		boolean inferred = (names != null) && Arrays.asList(names).contains(AbstractBeanDefinition.INFER_METHOD);
		return contains(names, method) || isNamed(method, definition::isExternallyManagedDestroyMethod)
				|| (method.getParameterCount() == 0 && isInferred(method, names == null, inferred));
	}

	/** The container closes what can be closed, unless it is told what to call. */
	private static boolean isInferred(Method method, boolean closeable, boolean inferred) {
		return switch (method.getName()) {
			case "close" -> inferred || (closeable && AutoCloseable.class.isAssignableFrom(method.getDeclaringClass()));
			case "shutdown" -> inferred;
			default -> false;
		};
	}

	private static boolean contains(String @Nullable [] names, Method method) {
		return names != null && isNamed(method, Arrays.asList(names)::contains);
	}

	private static boolean isNamed(Method method, Predicate<String> names) {
		Class<?>[] parameters = method.getParameterTypes();
		// A method that is called at the end may ask whether the bean is destroyed by
		// force.
		return (parameters.length == 0 || (parameters.length == 1 && parameters[0] == boolean.class))
				&& (names.test(method.getName()) || names.test(ClassUtils.getQualifiedMethodName(method)));
	}

}
