package io.github.leaderelection.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
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
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringUtils;

/**
 * Knows who calls a method, other than somebody who has work for the bean: the container,
 * on the bean itself, past its proxy and so past the gate, or while nobody leads; and
 * libraries that find methods by annotations. Those of messaging are known by the names
 * of their annotations, so that none has to be there.
 */
final class MethodCallers {

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

	private static final String REQUESTS = "org.springframework.web.bind.annotation.RequestMapping";

	/** With those that extend them; not all need be on the class path. */
	private static final Set<String> STARTUP_EVENTS = Set.of("org.springframework.context.event.ContextRefreshedEvent",
			"org.springframework.boot.context.event.SpringApplicationEvent",
			"org.springframework.boot.web.server.context.WebServerInitializedEvent");

	/** The methods by which a bean describes itself. */
	private static final Set<String> DESCRIBING = Set.of("isRunning", "isAutoStartup", "isPauseable", "getPhase",
			"getOrder", "getObjectType", "isSingleton", "isPrototype", "isEagerInit", "supportsType",
			"supportsAsyncExecution", "supportsEventType", "supportsSourceType", "getListenerId");

	/**
	 * The interfaces that declare them. Those that extend these may have other methods,
	 * which do work.
	 */
	private static final List<Class<?>> DESCRIPTIONS = List.of(Lifecycle.class, Phased.class, Ordered.class,
			FactoryBean.class, ApplicationListener.class);

	private static final String INTEGRATION = "org.springframework.integration.annotation.";

	/** Those whose names do not end as most do. */
	private static final Set<String> MESSAGE_HANDLERS = Set.of(
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.kafka.annotation.KafkaHandler", "org.springframework.kafka.annotation.DltHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarReader", "io.awspring.cloud.sqs.annotation.SqsHandler",
			INTEGRATION + "ServiceActivator", INTEGRATION + "Transformer", INTEGRATION + "Filter",
			INTEGRATION + "Router", INTEGRATION + "Splitter", INTEGRATION + "Aggregator",
			"org.springframework.modulith.events.ApplicationModuleListener");

	/** Those of libraries that name them as most do, and of others that follow. */
	private static final Pattern MESSAGE_LISTENERS = Pattern
		.compile(".*(Amqp|Jms|Kafka|Kinesis|Message|Mqtt|Nats|PubSub|Pulsar|Rabbit|Redis|Sqs|Stream)\\w*Listeners?");

	/** Those by which Spring Batch finds listeners. */
	private static final Pattern BATCH = Pattern
		.compile("org\\.springframework\\.batch\\.core\\.(\\w+\\.)*annotation\\.(After|Before|On)\\w+");

	/**
	 * Those of methods that are found on the class, and called past the proxy if need be.
	 */
	private static final Pattern OTHERS = Pattern.compile("org\\.springframework\\.(context\\.annotation\\.Bean"
			+ "|context\\.event\\.EventListener|scheduling\\.annotation\\.Scheduled|boot\\.actuate\\.endpoint\\..+"
			+ "|(graphql|integration|messaging|web|ws)\\..+)|org\\.aspectj\\.lang\\.annotation\\.(After|Around|Before).*");

	private MethodCallers() {
	}

	/** Return whether others than the class call a method, even if it is private. */
	static boolean isFound(Method method) {
		return isAnnotated(method, (annotation) -> isMessageHandler(annotation) || BATCH.matcher(annotation).matches()
				|| OTHERS.matcher(annotation).matches());
	}

	/** Return whether a method tells the container what the bean is like. */
	static boolean describesBean(LeaderOnlyMethod gated) {
		return DESCRIBING.contains(gated.method().getName()) && isDeclaredBy(gated, DESCRIPTIONS);
	}

	/** Return whether the container calls a method on the bean itself. */
	static boolean isCalledOnTheBean(LeaderOnlyMethod gated) {
		return isDeclaredBy(gated, ON_THE_BEAN);
	}

	/**
	 * Return whether a method is only a callback of a class that is annotated. The
	 * container's calls are not meant; those of others are gated where they can be.
	 */
	static boolean isIncidental(LeaderOnlyMethod gated) {
		return !gated.direct() && isCalledOnTheBean(gated);
	}

	/** Return whether the container calls a method while nobody leads. */
	static boolean isCalledWithoutLeader(LeaderOnlyMethod gated) {
		return isDeclaredBy(gated, WITHOUT_A_LEADER) && !describesBean(gated);
	}

	/** Return whether a method is called when the application starts, and never later. */
	static boolean isCalledAtStartup(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> RUNNERS.contains(method.getDeclaringClass().getName())
				|| eventsOf(method, gated.type()).anyMatch(MethodCallers::isOfStartup));
	}

	/** Return whether Spring Batch calls a method, which it does on the bean itself. */
	static boolean isCalledByBatch(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> isAnnotated(method, BATCH.asMatchPredicate()));
	}

	/** Return whether a message counts as handled when the method has returned. */
	static boolean handlesMessages(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> isMessageListener(method.getDeclaringClass())
				|| isAnnotated(method, MethodCallers::isMessageHandler));
	}

	/** Return whether a client receives what a method returns. */
	static boolean handlesRequests(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> isAnnotated(method, REQUESTS::equals));
	}

	private static boolean isAnnotated(Method method, Predicate<String> names) {
		return MergedAnnotations.from(method)
			.stream()
			.map(MergedAnnotation::getType)
			.map(Class::getName)
			.anyMatch(names);
	}

	private static boolean isMessageListener(Class<?> declaring) {
		return declaring.isInterface() && (declaring.getName().endsWith("MessageListener")
				|| declaring.getName().equals("org.springframework.messaging.MessageHandler"));
	}

	private static boolean isMessageHandler(String annotation) {
		return MESSAGE_HANDLERS.contains(annotation) || MESSAGE_LISTENERS.matcher(annotation).matches();
	}

	private static Stream<Class<?>> eventsOf(Method method, Class<?> type) {
		MergedAnnotation<EventListener> annotation = MergedAnnotations.from(method).get(EventListener.class);
		if (!annotation.isPresent() && method.getDeclaringClass() != ApplicationListener.class) {
			return Stream.empty();
		}
		Stream<Class<?>> named = annotation.isPresent() ? Stream.of(annotation.getClassArray("classes"))
				: Stream.empty();
		return (method.getParameterCount() == 0) ? named
				: Stream.concat(named, Stream.of(ResolvableType.forMethodParameter(method, 0, type).toClass()));
	}

	private static boolean isOfStartup(@Nullable Class<?> event) {
		return event != null && (STARTUP_EVENTS.contains(event.getName()) || isOfStartup(event.getSuperclass()));
	}

	private static boolean isDeclaredBy(LeaderOnlyMethod gated, List<Class<?>> interfaces) {
		return gated
			.isAny((method) -> interfaces.stream().anyMatch((type) -> isOrExtends(method.getDeclaringClass(), type)));
	}

	/** What interfaces of the application add is not for the container. */
	private static boolean isOrExtends(Class<?> declaring, Class<?> type) {
		return declaring == type || (declaring.isInterface() && type.isAssignableFrom(declaring)
				&& declaring.getName().startsWith("org.springframework."));
	}

	/**
	 * Return whether the container calls a method on the bean itself since the definition
	 * of the bean says so.
	 * @param gated the method
	 * @param definition the definition, as the post-processors for annotations left it
	 */
	static boolean isNamedBy(RootBeanDefinition definition, LeaderOnlyMethod gated) {
		return gated.isAny((method) -> definition.isExternallyManagedConfigMember(method)
				|| isInitOrDestroy(method, definition) || isSet(method, definition, gated.type()));
	}

	private static boolean isSet(Method method, RootBeanDefinition definition, Class<?> type) {
		if (method.getParameterCount() != 1 || !method.getName().startsWith("set")) {
			return false;
		}
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

	private static boolean isInitOrDestroy(Method method, RootBeanDefinition definition) {
		String name = method.getName();
		String qualifiedName = ClassUtils.getQualifiedMethodName(method);
		boolean init = ObjectUtils.containsElement(definition.getInitMethodNames(), name)
				|| definition.isExternallyManagedInitMethod(name)
				|| definition.isExternallyManagedInitMethod(qualifiedName);
		boolean destroy = ObjectUtils.containsElement(definition.getDestroyMethodNames(), name)
				|| definition.isExternallyManagedDestroyMethod(name)
				|| definition.isExternallyManagedDestroyMethod(qualifiedName);
		return switch (method.getParameterCount()) {
			case 0 -> init || destroy || isInferred(method, definition.getDestroyMethodNames());
			// It may ask whether the bean is destroyed by force.
			case 1 -> destroy && method.getParameterTypes()[0] == boolean.class;
			default -> false;
		};
	}

	/** The container closes what can be closed, unless it is told what to call. */
	private static boolean isInferred(Method method, String @Nullable [] destroyMethods) {
		boolean inferred = ObjectUtils.containsElement(destroyMethods, AbstractBeanDefinition.INFER_METHOD);
		return switch (method.getName()) {
			case "close" -> inferred
					|| (destroyMethods == null && AutoCloseable.class.isAssignableFrom(method.getDeclaringClass()));
			case "shutdown" -> inferred;
			default -> false;
		};
	}

}
