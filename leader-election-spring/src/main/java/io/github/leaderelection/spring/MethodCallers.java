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
 * Recognizes methods that are called by the container or by libraries. The container
 * calls some methods on the bean itself, so that they bypass the proxy and its gate, and
 * some while no instance leads. Libraries find methods by annotations. Annotations for
 * messaging are recognized by their names, so that none of these libraries has to be on
 * the class path.
 */
final class MethodCallers {

	/** Interfaces whose methods the container calls on the bean itself, if at all. */
	private static final List<Class<?>> ON_THE_BEAN = List.of(InitializingBean.class, DisposableBean.class,
			Aware.class);

	/**
	 * Interfaces whose methods are called on every instance to begin or end something.
	 */
	private static final List<Class<?>> WITHOUT_A_LEADER = List.of(Lifecycle.class, SmartInitializingSingleton.class,
			FactoryBean.class, BeanPostProcessor.class, BeanFactoryPostProcessor.class, SchedulingConfigurer.class);

	/** Interfaces that are called on every instance, at startup only. */
	private static final Set<String> RUNNERS = Set.of("org.springframework.boot.ApplicationRunner",
			"org.springframework.boot.CommandLineRunner", "org.springframework.integration.dsl.IntegrationFlow");

	/** Spring Boot calls the setters of beans with this annotation. */
	private static final String PROPERTIES = "org.springframework.boot.context.properties.ConfigurationProperties";

	private static final String REQUESTS = "org.springframework.web.bind.annotation.RequestMapping";

	/** Together with their subclasses; not all need be on the class path. */
	private static final Set<String> STARTUP_EVENTS = Set.of("org.springframework.context.event.ContextRefreshedEvent",
			"org.springframework.boot.context.event.SpringApplicationEvent",
			"org.springframework.boot.web.server.context.WebServerInitializedEvent");

	/** The methods by which a bean describes itself. */
	private static final Set<String> DESCRIBING = Set.of("isRunning", "isAutoStartup", "isPauseable", "getPhase",
			"getOrder", "getObjectType", "isSingleton", "isPrototype", "isEagerInit", "supportsType",
			"supportsAsyncExecution", "supportsEventType", "supportsSourceType", "getListenerId");

	/**
	 * The interfaces that declare them. Their subinterfaces may add other methods, which
	 * do work.
	 */
	private static final List<Class<?>> DESCRIPTIONS = List.of(Lifecycle.class, Phased.class, Ordered.class,
			FactoryBean.class, ApplicationListener.class);

	private static final String INTEGRATION = "org.springframework.integration.annotation.";

	/** Annotations of message handlers that the pattern below does not match. */
	private static final Set<String> MESSAGE_HANDLERS = Set.of(
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.kafka.annotation.KafkaHandler", "org.springframework.kafka.annotation.DltHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarReader", "io.awspring.cloud.sqs.annotation.SqsHandler",
			INTEGRATION + "ServiceActivator", INTEGRATION + "Transformer", INTEGRATION + "Filter",
			INTEGRATION + "Router", INTEGRATION + "Splitter", INTEGRATION + "Aggregator",
			"org.springframework.modulith.events.ApplicationModuleListener");

	/** Annotations of message listeners with the usual names, including future ones. */
	private static final Pattern MESSAGE_LISTENERS = Pattern
		.compile(".*(Amqp|Jms|Kafka|Kinesis|Message|Mqtt|Nats|PubSub|Pulsar|Rabbit|Redis|Sqs|Stream)\\w*Listeners?");

	/** Annotations by which Spring Batch finds listeners. */
	private static final Pattern BATCH = Pattern
		.compile("org\\.springframework\\.batch\\.core\\.(\\w+\\.)*annotation\\.(After|Before|On)\\w+");

	/**
	 * Annotations of methods that frameworks find on the class, and call past the proxy
	 * if necessary.
	 */
	private static final Pattern OTHERS = Pattern.compile("org\\.springframework\\.(context\\.annotation\\.Bean"
			+ "|context\\.event\\.EventListener|scheduling\\.annotation\\.Scheduled|boot\\.actuate\\.endpoint\\..+"
			+ "|(graphql|integration|messaging|web|ws)\\..+)|org\\.aspectj\\.lang\\.annotation\\.(After|Around|Before).*");

	private MethodCallers() {
	}

	/** Return whether a framework calls a method, even if it is private. */
	static boolean isCalledByFramework(Method method) {
		return isAnnotated(method, (annotation) -> isMessageHandler(annotation) || BATCH.matcher(annotation).matches()
				|| OTHERS.matcher(annotation).matches());
	}

	/** Return whether a method describes the bean to the container. */
	static boolean describesBean(LeaderOnlyMethod gated) {
		return DESCRIBING.contains(gated.method().getName()) && isDeclaredBy(gated, DESCRIPTIONS);
	}

	/** Return whether the container calls a method on the bean itself. */
	static boolean isCalledOnTheBean(LeaderOnlyMethod gated) {
		return isDeclaredBy(gated, ON_THE_BEAN);
	}

	/**
	 * Return whether a method is a callback that is annotated only through its class.
	 * Calls by the container are not gated; calls by other code are, if possible.
	 */
	static boolean isIncidental(LeaderOnlyMethod gated) {
		return !gated.direct() && isCalledOnTheBean(gated);
	}

	/** Return whether the container calls a method while nobody leads. */
	static boolean isCalledWithoutLeader(LeaderOnlyMethod gated) {
		return isDeclaredBy(gated, WITHOUT_A_LEADER) && !describesBean(gated);
	}

	/** Return whether a method is called at startup only. */
	static boolean isCalledAtStartup(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> RUNNERS.contains(method.getDeclaringClass().getName())
				|| eventsOf(method, gated.type()).anyMatch(MethodCallers::isOfStartup));
	}

	/** Return whether Spring Batch calls a method, on the bean itself. */
	static boolean isCalledByBatch(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> isAnnotated(method, BATCH.asMatchPredicate()));
	}

	/**
	 * Return whether a method handles messages, which count as handled when it returns.
	 */
	static boolean handlesMessages(LeaderOnlyMethod gated) {
		return gated.isAny((method) -> isMessageListener(method.getDeclaringClass())
				|| isAnnotated(method, MethodCallers::isMessageHandler));
	}

	/** Return whether a method handles web requests, whose clients receive its result. */
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

	/**
	 * Return whether the declaring type is the given one, or an interface of Spring that
	 * extends it. The container does not call what an application's interface adds.
	 */
	private static boolean isOrExtends(Class<?> declaring, Class<?> type) {
		return declaring == type || (declaring.isInterface() && type.isAssignableFrom(declaring)
				&& declaring.getName().startsWith("org.springframework."));
	}

	/**
	 * Return whether the definition of a bean tells the container to call a method on the
	 * bean itself.
	 * @param definition the definition, as processed by the post-processors for
	 * annotations
	 * @param gated the method
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
			// The parameter of a destroy method, which Spring sets to true.
			case 1 -> destroy && method.getParameterTypes()[0] == boolean.class;
			default -> false;
		};
	}

	/**
	 * Return whether the container calls a method to destroy the bean without being told
	 * its name: {@code close()} of an {@code AutoCloseable} by default, and any
	 * {@code close()} or {@code shutdown()} if the name is to be inferred.
	 */
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
