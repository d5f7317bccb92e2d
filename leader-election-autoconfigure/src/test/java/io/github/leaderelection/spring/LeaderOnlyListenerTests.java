package io.github.leaderelection.spring;

import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what is told about a skipped or a refused call: to who must not lose a
 * message, and to a scheduler.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyListenerTests {

	private static final String LOST = "can't be enforced: a message that is skipped counts as handled, and is lost. "
			+ "Use otherwise = THROW, so that the message is not acknowledged; "
			+ "or have nothing delivered to followers: name the container of the listener in "
			+ "leader-election.elections.<name>.components";

	private final ApplicationContextRunner runner = GateRunner.follower();

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.kafka.annotation.KafkaListener",
			"org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.jms.annotation.JmsListener",
			"org.springframework.integration.annotation.ServiceActivator",
			"org.springframework.integration.annotation.Transformer",
			"org.springframework.cloud.stream.annotation.StreamListener",
			"org.springframework.pulsar.annotation.PulsarListener",
			"org.springframework.messaging.handler.annotation.MessageMapping",
			"io.awspring.cloud.sqs.annotation.SqsListener", "io.awspring.cloud.sqs.annotation.SqsHandler",
			"com.acme.RedisStreamListener", "org.springframework.modulith.events.ApplicationModuleListener" })
	void listenerThatSkips(String annotation) {
		this.runner.withBean(listener(annotation, null, Otherwise.SKIP))
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on com.acme.Listening.handle(String) " + LOST));
	}

	@Test
	void listenerThatThrows() {
		this.runner.withBean(listener("org.springframework.kafka.annotation.KafkaListener", null, Otherwise.THROW))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void listenerByAMetaAnnotation() {
		this.runner
			.withBean(listener("com.acme.OnOrder", "org.springframework.messaging.handler.annotation.MessageMapping",
					Otherwise.SKIP))
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(LOST));
	}

	@Test
	void listenerOfAnAnnotatedClass() {
		this.runner.withBean(listener("org.springframework.kafka.annotation.KafkaListener", null, null))
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(LOST));
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.kafka.annotation.KafkaListener",
			"io.awspring.cloud.sqs.annotation.SqsListener",
			"org.springframework.integration.annotation.InboundChannelAdapter",
			"org.springframework.graphql.data.method.annotation.SchemaMapping",
			"org.springframework.batch.core.annotation.AfterStep", "org.aspectj.lang.annotation.Around" })
	void privateListenerOfAnAnnotatedClass(String annotation) {
		this.runner.withBean(listener(annotation, null, null, Visibility.PRIVATE))
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on com.acme.Listening.handle(String) can't be enforced: a private method is "
						+ "not called through the bean's proxy. Make the method public, protected or package-private"));
	}

	@ParameterizedTest
	@EnumSource
	@NullSource
	void listenerOfSpringBatch(@Nullable Otherwise otherwise) {
		this.runner.withBean(listener("org.springframework.batch.core.annotation.BeforeJob", null, otherwise))
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on com.acme.Listening.handle(String) can't be enforced: Spring Batch calls it "
						+ "on the bean itself, on every instance. Implement the interface of the listener instead"));
	}

	@Test
	void listenerByItsInterface() {
		this.runner.withBean(ByInterface.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(LOST));
	}

	@Test
	void listenerOfApplicationEventsMaySkip() {
		this.runner.withBean(OfEvents.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void scheduledMethodThatThrowsIsWarnedOfOnce(CapturedOutput output) {
		this.runner.withBean("one", ScheduledToThrow.class)
			.withBean("two", ScheduledToThrow.class)
			.withBean("three", Heir.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("ScheduledToThrow.run is scheduled")
					.containsOnlyOnce("ScheduledToThrow.twice is scheduled")
					.contains("otherwise = THROW");
			});
	}

	@Test
	void scheduledMethodThatSkipsIsNotWarnedOf(CapturedOutput output) {
		this.runner.withBean(ScheduledToSkip.class).run((context) -> assertThat(output).doesNotContain("is scheduled"));
	}

	private static Class<?> listener(String annotation, @Nullable String metaAnnotation,
			@Nullable Otherwise otherwise) {
		return listener(annotation, metaAnnotation, otherwise, Visibility.PUBLIC);
	}

	/** As the library's own would be, whether or not the library is there. */
	@SuppressWarnings("unchecked")
	private static Class<?> listener(String annotation, @Nullable String metaAnnotation, @Nullable Otherwise otherwise,
			Visibility visibility) {
		ClassLoader classLoader = LeaderOnlyListenerTests.class.getClassLoader();
		AnnotationDescription[] metaAnnotations = {};
		if (metaAnnotation != null) {
			Class<? extends Annotation> meta = annotation(metaAnnotation, classLoader);
			classLoader = meta.getClassLoader();
			metaAnnotations = new AnnotationDescription[] { AnnotationDescription.Builder.ofType(meta).build() };
		}
		Class<? extends Annotation> type = annotation(annotation, classLoader, metaAnnotations);
		AnnotationDescription leaderOnly = AnnotationDescription.Builder.ofType(LeaderOnly.class)
			.define("otherwise", (otherwise != null) ? otherwise : Otherwise.SKIP)
			.build();
		AnnotationDescription listening = AnnotationDescription.Builder.ofType(type).build();
		return new ByteBuddy().subclass(Object.class)
			.name("com.acme.Listening")
			.annotateType(
					(otherwise != null) ? new AnnotationDescription[0] : new AnnotationDescription[] { leaderOnly })
			.defineMethod("handle", void.class, visibility)
			.withParameters(String.class)
			.intercept(StubMethod.INSTANCE)
			.annotateMethod((otherwise != null) ? new AnnotationDescription[] { listening, leaderOnly }
					: new AnnotationDescription[] { listening })
			.make()
			.load(type.getClassLoader())
			.getLoaded();
	}

	private static Class<? extends Annotation> annotation(String name, ClassLoader classLoader,
			AnnotationDescription... metaAnnotations) {
		return new ByteBuddy().makeAnnotation()
			.name(name)
			.annotateType(AnnotationDescription.Builder.ofType(Retention.class)
				.define("value", RetentionPolicy.RUNTIME)
				.build())
			.annotateType(metaAnnotations)
			.make()
			.load(classLoader, ClassLoadingStrategy.Default.CHILD_FIRST)
			.getLoaded();
	}

	interface OrderMessageListener {

		void onMessage(String message);

	}

	static class ByInterface implements OrderMessageListener {

		@Override
		@LeaderOnly
		public void onMessage(String message) {
		}

	}

	static class OfEvents {

		@EventListener
		@LeaderOnly
		public void on(String event) {
		}

	}

	static class ScheduledToThrow {

		@Scheduled(fixedDelay = 60_000)
		@LeaderOnly(otherwise = Otherwise.THROW)
		public void run() {
		}

		@Schedules({ @Scheduled(fixedDelay = 60_000), @Scheduled(fixedDelay = 50_000) })
		@LeaderOnly(otherwise = Otherwise.THROW)
		public void twice() {
		}

		@LeaderOnly(otherwise = Otherwise.THROW)
		public void other() {
		}

	}

	static class Heir extends ScheduledToThrow {

	}

	static class ScheduledToSkip {

		@Scheduled(fixedDelay = 60_000)
		@LeaderOnly
		public void run() {
		}

	}

}
