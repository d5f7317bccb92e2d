package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.github.leaderelection.LeaderOnly.Otherwise;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Looks at who will call a method. A broker takes a call that was skipped for a message
 * that was handled, and drops it; a scheduler logs each call that was refused as an
 * error. Libraries of messaging are known by the names of their annotations, so that none
 * has to be there.
 */
final class LeaderOnlyCallers {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyCallers.class);

	private static final String INTEGRATION = "org.springframework.integration.annotation.";

	/** Those whose names do not end as most do. */
	private static final Set<String> HANDLERS = Set.of(
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"org.springframework.kafka.annotation.KafkaHandler", "org.springframework.kafka.annotation.DltHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.pulsar.annotation.PulsarReader", "io.awspring.cloud.sqs.annotation.SqsHandler",
			INTEGRATION + "ServiceActivator", INTEGRATION + "Transformer", INTEGRATION + "Filter",
			INTEGRATION + "Router", INTEGRATION + "Splitter", INTEGRATION + "Aggregator",
			"org.springframework.modulith.events.ApplicationModuleListener");

	/** Those of libraries that name them as most do, and of others that follow. */
	private static final Pattern LISTENERS = Pattern
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

	private final Set<Method> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Look at a method that is to be gated.
	 * @param method the method
	 * @throws InvalidLeaderOnlyException if a message would be lost
	 */
	void check(LeaderOnlyMethod method) {
		boolean skips = method.annotation().otherwise() == Otherwise.SKIP;
		if (skips && handlesMessages(method.family())) {
			throw method.invalid("a message that is skipped counts as handled, and is lost",
					"Use otherwise = THROW, so that the message is not acknowledged; "
							+ "or have nothing delivered to followers: name the container of the listener in "
							+ "leader-election.elections.<name>.components");
		}
		if (!skips && isScheduled(method.family()) && this.warned.add(method.method())) {
			logger.warn(
					"{} is scheduled, and refused with an exception while this instance does not lead: "
							+ "each time, an error is logged. To skip it without a word, leave out otherwise = THROW",
					method.shortName());
		}
	}

	/** Return whether others than the class call a method, even if it is private. */
	static boolean isFound(Method method) {
		return isAnnotated(method, (annotation) -> isMessageHandler(annotation) || BATCH.matcher(annotation).matches()
				|| OTHERS.matcher(annotation).matches());
	}

	/** Return whether Spring Batch calls a method, which it does on the bean itself. */
	static boolean isForBatch(MethodFamily family) {
		return family.declarations().stream().anyMatch((method) -> isAnnotated(method, BATCH.asMatchPredicate()));
	}

	private static boolean handlesMessages(MethodFamily family) {
		return family.declarations()
			.stream()
			.anyMatch((method) -> isMessageListener(method.getDeclaringClass())
					|| isAnnotated(method, LeaderOnlyCallers::isMessageHandler));
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
		return HANDLERS.contains(annotation) || LISTENERS.matcher(annotation).matches();
	}

	private static boolean isScheduled(MethodFamily family) {
		return family.declarations()
			.stream()
			.anyMatch((method) -> MergedAnnotations.from(method).isPresent(Scheduled.class));
	}

}
