package io.github.leaderelection.spring;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.FutureTask;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.spring.other.ForeignBase;
import jakarta.annotation.PostConstruct;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that what can't be gated does not start, and of each message.
 */
class InvalidLeaderOnlyTests {

	private static final String PLACE = InvalidLeaderOnlyTests.class.getName() + "$";

	private final ApplicationContextRunner runner = GateRunner.follower();

	@ParameterizedTest
	@ValueSource(strings = { "leader-election.enabled=true", "leader-election.enabled=false" })
	void privateMethod(String property) {
		this.runner.withPropertyValues(property)
			.withBean(PrivateMethod.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on " + PLACE + "PrivateMethod.run() can't be enforced: "
						+ "a private method is not called through the bean's proxy. Make the method public, "
						+ "protected or package-private, and call it from another bean"));
	}

	@Test
	void privateScheduledMethod() {
		this.runner.withBean(PrivateScheduledMethod.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageEndingWith("Make the method public, protected or package-private"));
	}

	@Test
	void privateMethodOfASuperclass() {
		assertInvalid(PrivateMethodInherited.class, "PrivateMethod.run() of bean class " + PLACE
				+ "PrivateMethodInherited can't be enforced: a private method is not called through the bean's proxy");
	}

	@Test
	void staticMethod() {
		assertInvalid(StaticMethod.class, "StaticMethod.run(String, int) can't be enforced: "
				+ "a static method is not called through a bean. Make it an instance method");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateTick.class, PrivateTickInherited.class, PrivateListener.class, PrivateOwn.class,
			PrivateTransactional.class, PrivateHandler.class, PrivateModel.class, PrivateOperation.class,
			PrivateMessages.class })
	void privateMethodOfAnAnnotatedClassThatSpringCalls(Class<?> beanClass) {
		this.runner.withBean(beanClass)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(" can't be enforced: a private method is not called through the bean's proxy. "
						+ "Make the method public, protected or package-private"));
	}

	@ParameterizedTest
	@ValueSource(
			classes = { StaticTick.class, StaticTickOfAnInterface.class, StaticListener.class, StaticHandler.class })
	void staticMethodOfAnAnnotatedClassThatSpringCalls(Class<?> beanClass) {
		this.runner.withBean(beanClass)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(" can't be enforced: a static method is not called through a bean. "
						+ "Make it an instance method"));
	}

	@Test
	void staticBeanMethodOfAnAnnotatedClass() {
		this.runner.withUserConfiguration(StaticBeanMethod.class)
			.run((context) -> assertThat(GateRunner.failure(context).getReason())
				.isEqualTo("a @Bean method makes a bean on every instance"));
	}

	@Test
	void helpersOfAnAnnotatedClassMayBePrivateOrStatic() {
		this.runner.withBean(WithHelpers.class).run((context) -> {
			context.getBean(WithHelpers.class).run();
			assertThat(GateRunner.gate(context).asked()).containsExactly("orders");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { OnlyHelpers.class, OnlyHelpersInherited.class, OnlyCallbacks.class, OnlyOrder.class })
	void annotatedClassWithNoMethodToGate(Class<?> beanClass) {
		assertInvalid(beanClass,
				beanClass.getSimpleName() + " can't be enforced: the annotation of the class applies "
						+ "to no method that is called through the bean's proxy. Make the methods public, protected or "
						+ "package-private, or remove the annotation");
	}

	@Test
	void finalMethod() {
		assertInvalid(FinalMethod.class, "FinalMethod.run() can't be enforced: a final method is not called through "
				+ "the bean's proxy. Remove final; in Kotlin make the function open");
	}

	@Test
	void finalMethodOfASuperclass() {
		assertInvalid(FinalMethodInherited.class,
				"FinalMethod.run() of bean class " + PLACE + "FinalMethodInherited can't be enforced: a final method");
	}

	@Test
	void finalMethodOfAnAnnotatedClass() {
		assertInvalid(GatedClassWithFinalMethod.class,
				"GatedClassWithFinalMethod.run() can't be enforced: a final method is not called through the "
						+ "bean's proxy. Remove final, or annotate the methods of the class one by one");
	}

	@Test
	void finalClass() {
		assertInvalid(FinalClass.class, "FinalClass can't be enforced: a final class has no proxy. Remove final; "
				+ "in Kotlin make the class open. Or let it implement an interface that has its annotated methods, "
				+ "and set spring.aop.proxy-target-class=false");
	}

	@Test
	void methodOfObject() {
		assertInvalid(ObjectMethod.class, "ObjectMethod.toString() can't be enforced: a method of java.lang.Object "
				+ "is not called through the bean's proxy. Give the method another name");
	}

	@Test
	void packagePrivateMethodOfAnotherPackage() {
		this.runner.withBean(Foreign.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on io.github.leaderelection.spring.other.ForeignBase.local() of bean class "
						+ PLACE + "Foreign can't be enforced: a package-private method of another package is not "
						+ "called through the bean's proxy. Make the method public or protected"));
	}

	@Test
	void methodThatNoInterfaceOfAnInterfaceProxyHas() {
		this.runner.withBean(NotInInterface.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on " + PLACE + "NotInInterface.other() can't be enforced: the bean is proxied "
						+ "by its interfaces, and none of them has the method. Add the method to an interface of the "
						+ "bean, or set spring.aop.proxy-target-class=true"));
	}

	@Test
	void primitiveReturnTypeThatSkips() {
		assertInvalid(Primitive.class, "Primitive.count() can't be enforced: a skipped call has no int to return. "
				+ "Return void or Optional, or use otherwise = THROW");
	}

	@Test
	void primitiveReturnTypeOfAnAnnotatedClass() {
		assertInvalid(GatedClassWithPrimitive.class,
				"GatedClassWithPrimitive.isReady() can't be enforced: a skipped call has no boolean to return. "
						+ "Annotate the methods of the class one by one, or use otherwise = THROW");
	}

	@Test
	void primitiveReturnTypeThatThrowsIsFine() {
		this.runner.withBean(StrictPrimitive.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void stageThatTheGateCantMake() {
		assertInvalid(SpecialFuture.class, "SpecialFuture.run() can't be enforced: a skipped call has no "
				+ "java.util.concurrent.FutureTask to return. Return CompletableFuture, or use otherwise = THROW");
	}

	@Test
	void reactiveTypeThatTheGateCantMake() {
		assertInvalid(SpecialFlux.class, "SpecialFlux.run() can't be enforced: the gate can't make a "
				+ "reactor.core.publisher.ConnectableFlux. Let the method return Flux");
	}

	@Test
	void suspendingFunction() {
		this.runner.withBean(suspending())
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage(
					"@LeaderOnly on com.acme.Suspending.run(String, Continuation) can't be enforced: a suspending "
							+ "function goes on after its call has returned. Make it a regular function, "
							+ "or let it return a Mono or a Flux"));
	}

	// As the Kotlin compiler makes it, whether or not Kotlin is there.
	private static Class<?> suspending() {
		ClassLoader classLoader = InvalidLeaderOnlyTests.class.getClassLoader();
		Class<?> continuation = new ByteBuddy().makeInterface()
			.name("kotlin.coroutines.Continuation")
			.make()
			.load(classLoader, ClassLoadingStrategy.Default.CHILD_FIRST)
			.getLoaded();
		return new ByteBuddy().subclass(Object.class)
			.name("com.acme.Suspending")
			.defineMethod("run", Object.class, Visibility.PUBLIC)
			.withParameters(String.class, continuation)
			.intercept(FixedValue.nullValue())
			.annotateMethod(AnnotationDescription.Builder.ofType(LeaderOnly.class).build())
			.make()
			.load(continuation.getClassLoader())
			.getLoaded();
	}

	@Test
	void beanMethod() {
		this.runner.withUserConfiguration(BeanMethod.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on " + PLACE + "BeanMethod.job() can't be enforced: a @Bean method makes a "
						+ "bean on every instance. Annotate methods of the bean it makes, or let that be a Lifecycle"));
	}

	@Test
	void blankElection() {
		assertInvalid(BlankElection.class, "BlankElection.run() can't be enforced: Election name '  ' is blank. "
				+ "Give the election a name. Change the annotation's value '  '");
	}

	@Test
	void placeholderThatStandsForNothing() {
		assertInvalid(EmptyPlaceholder.class,
				"EmptyPlaceholder.run() can't be enforced: Election name '' is blank. Give the election a name. "
						+ "Change the annotation's value '${nothing:}'");
	}

	@Test
	void electionNameOf300Characters() {
		this.runner.withPropertyValues("long=" + "n".repeat(300))
			.withBean(LongElection.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage(
					"@LeaderOnly on " + PLACE + "LongElection.run() can't be enforced: Election name '" + "n".repeat(40)
							+ "…' has 300 characters. Use at most 200. " + "Change the annotation's value '${long}'"));
	}

	@Test
	void unresolvablePlaceholder() {
		assertInvalid(UnresolvablePlaceholder.class,
				"UnresolvablePlaceholder.run() can't be enforced: election name '${reports.election}' can't be "
						+ "resolved: Could not resolve placeholder 'reports.election' in value "
						+ "\"${reports.election}\". Set the property, or give the placeholder a default "
						+ "as in ${name:default}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#{jobs.election}", "night-#{1 + 1}" })
	void expression(String value) {
		this.runner.withPropertyValues("night=" + value)
			.withBean(Expression.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on " + PLACE + "Expression.run() can't be enforced: '" + value
						+ "' is an expression, which is not evaluated. Use a placeholder, as in ${name:default}. "
						+ "Change the annotation's value '${night}'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.application.name=", "leader-election.default-election= " })
	void noDefaultElection(String property) {
		this.runner.withPropertyValues(property)
			.withBean(Unnamed.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on " + PLACE + "Unnamed.run() can't be enforced: it names no election and "
						+ "there is no default one. Name the election in the annotation, or set "
						+ "leader-election.default-election or spring.application.name"));
	}

	@Test
	void defaultElectionThatIsTooLong() {
		this.runner.withPropertyValues("leader-election.default-election=" + "n".repeat(201))
			.withBean(Unnamed.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageContaining("has 201 characters")
				.hasMessageEndingWith("Change leader-election.default-election"));
	}

	@Test
	void beanThatIsMadeTooEarly() {
		this.runner.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on bean 'early' (" + PLACE + "Fine) can't be enforced: the bean has no gate, "
						+ "since it was made before bean post-processors were, registered as an instance, or replaced "
						+ "after it was proxied. Don't let bean post-processors depend on it; declare it by its class "
						+ "or a @Bean method, and move the annotated methods to a bean of their own if need be"));
	}

	@Test
	void productOfAFactoryBeanThatIsMadeTooEarly() {
		this.runner.withUserConfiguration(EarlyFactoryConfiguration.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on bean 'early' (" + PLACE + "Fine) can't be enforced"));
	}

	@Test
	void beanThatIsRegisteredAsAnInstance() {
		this.runner
			.withInitializer((context) -> ((GenericApplicationContext) context).getBeanFactory()
				.registerSingleton("instance", new Fine()))
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on bean 'instance' (" + PLACE + "Fine) can't be enforced"));
	}

	@Test
	void beanThatIsReplacedAfterItWasProxied() {
		this.runner.withUserConfiguration(ReplacingConfiguration.class)
			.withBean("replaced", Fine.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on bean 'replaced' (" + PLACE + "Fine) can't be enforced"));
	}

	@Test
	void beanThatAsksNotToBeProxied() {
		this.runner.withBean("infrastructure", Infrastructure.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on bean 'infrastructure' (" + PLACE + "Infrastructure) can't be enforced: "
						+ "a bean that is an AopInfrastructureBean is not to be proxied. Remove the interface"));
	}

	@Test
	void beanNamedLikeAnInstanceThatIsNotToBeProxied() {
		this.runner.withBean("jobs.ORIGINAL", Fine.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on bean 'jobs.ORIGINAL' (" + PLACE + "Fine) can't be enforced: a bean whose "
						+ "name ends in .ORIGINAL is not to be proxied. Give the bean another name"));
	}

	@ParameterizedTest
	@ValueSource(strings = { BeanDefinition.SCOPE_SINGLETON, BeanDefinition.SCOPE_PROTOTYPE })
	void syntheticBean(String scope) {
		this.runner.withInitializer((context) -> {
			RootBeanDefinition definition = new RootBeanDefinition(Fine.class);
			definition.setSynthetic(true);
			definition.setLazyInit(true);
			definition.setScope(scope);
			((GenericApplicationContext) context).registerBeanDefinition("synthetic", definition);
		})
			.run((context) -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> context.getBean("synthetic"))
				.havingRootCause()
				.isInstanceOf(InvalidLeaderOnlyException.class)
				.withMessageStartingWith("@LeaderOnly on bean 'synthetic' (" + PLACE + "Fine) can't be enforced: "
						+ "the definition of the bean is synthetic"));
	}

	@Test
	void rawInjectionDespiteWrapping() {
		this.runner.withAllowCircularReferences(true)
			.withInitializer((context) -> ((AbstractAutowireCapableBeanFactory) context.getBeanFactory())
				.setAllowRawInjectionDespiteWrapping(true))
			.withBean(Circle.class)
			.withBean(Segment.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageEndingWith("Remove setAllowRawInjectionDespiteWrapping(true)"));
	}

	@Test
	void frozenProxyThatHidesTheAnnotation() {
		this.runner.withBean("frozen", Runnable.class, () -> {
			ProxyFactory factory = new ProxyFactory(new Fine());
			factory.setFrozen(true);
			return (Runnable) factory.getProxy();
		})
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on bean 'frozen' ("));
	}

	@Test
	void lazyBeanFailsWhenItIsMade() {
		this.runner
			.withBean("lazy", PrivateMethod.class, PrivateMethod::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> context.getBean(PrivateMethod.class))
				.withRootCauseInstanceOf(InvalidLeaderOnlyException.class));
	}

	@Test
	void prototypeFailsEachTimeItIsMade() {
		this.runner
			.withBean("prototype", Primitive.class, Primitive::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> {
				for (int i = 0; i < 2; i++) {
					assertThatExceptionOfType(BeanCreationException.class)
						.isThrownBy(() -> context.getBean(Primitive.class))
						.withRootCauseInstanceOf(InvalidLeaderOnlyException.class);
				}
			});
	}

	private void assertInvalid(Class<?> beanClass, String message) {
		this.runner.withBean(beanClass)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on " + PLACE + message));
	}

	static class PrivateMethod {

		@LeaderOnly
		private void run() {
		}

	}

	static class PrivateScheduledMethod {

		@LeaderOnly
		@Scheduled(fixedDelay = 60_000)
		private void run() {
		}

	}

	static class PrivateMethodInherited extends PrivateMethod {

	}

	static class StaticMethod {

		@LeaderOnly
		static void run(String text, int number) {
		}

	}

	@LeaderOnly
	static class PrivateTick {

		@Scheduled(fixedDelay = 60_000)
		private void tick() {
		}

	}

	static class Ticking {

		@Scheduled(fixedDelay = 60_000)
		private void tick() {
		}

	}

	@LeaderOnly
	static class PrivateTickInherited extends Ticking {

		public void run() {
		}

	}

	@LeaderOnly
	static class PrivateListener {

		@EventListener
		private void on(String event) {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@EventListener
	@interface Own {

	}

	@LeaderOnly
	static class PrivateOwn {

		@Own
		private void on(String event) {
		}

	}

	@LeaderOnly
	static class PrivateTransactional {

		@TransactionalEventListener
		private void on(String event) {
		}

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	@RestController
	static class PrivateHandler {

		@GetMapping("/a")
		public String open() {
			return "a";
		}

		@GetMapping("/b")
		private String closed() {
			return "b";
		}

	}

	@LeaderOnly
	@RestController
	static class PrivateModel {

		@ModelAttribute
		private String model() {
			return "b";
		}

	}

	@LeaderOnly
	@Endpoint(id = "jobs")
	static class PrivateOperation {

		@WriteOperation
		private void run() {
		}

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	static class PrivateMessages {

		@MessageMapping("orders")
		private void handle(String message) {
		}

	}

	@LeaderOnly
	static class StaticTick {

		public void run() {
		}

		@Scheduled(fixedDelay = 60_000)
		static void tick() {
		}

	}

	@LeaderOnly
	interface Work {

	}

	static class StaticTickOfAnInterface implements Work {

		@Scheduled(fixedDelay = 60_000)
		public static void tick() {
		}

	}

	@LeaderOnly
	static class StaticListener {

		@EventListener
		static void on(String event) {
		}

	}

	@LeaderOnly
	@RestController
	static class StaticHandler {

		@GetMapping("/b")
		static String closed() {
			return "b";
		}

	}

	@LeaderOnly
	@Configuration(proxyBeanMethods = false)
	static class StaticBeanMethod {

		@Bean
		static StringBuilder job() {
			return new StringBuilder();
		}

	}

	@LeaderOnly
	static class WithHelpers {

		public void run() {
			help();
			assist();
		}

		@Transactional
		private void help() {
		}

		private static void assist() {
		}

	}

	@LeaderOnly
	static class OnlyHelpers {

		private void run() {
		}

		static void help() {
		}

	}

	static class OnlyHelpersInherited extends OnlyHelpers implements Work {

	}

	@LeaderOnly
	static class OnlyCallbacks implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		@PostConstruct
		void begin() {
		}

	}

	@LeaderOnly
	static class OnlyOrder implements Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class FinalMethod {

		@LeaderOnly
		public final void run() {
		}

	}

	static class FinalMethodInherited extends FinalMethod {

	}

	@LeaderOnly
	static class GatedClassWithFinalMethod {

		public final void run() {
		}

	}

	static final class FinalClass {

		@LeaderOnly
		public void run() {
		}

	}

	static class ObjectMethod {

		@Override
		@LeaderOnly
		public String toString() {
			return "text";
		}

	}

	static class Foreign extends ForeignBase {

	}

	static class NotInInterface implements Runnable {

		@Override
		@LeaderOnly
		public void run() {
		}

		@LeaderOnly
		public void other() {
		}

	}

	static class Primitive {

		@LeaderOnly
		public int count() {
			return 1;
		}

	}

	@LeaderOnly
	static class GatedClassWithPrimitive {

		public boolean isReady() {
			return true;
		}

	}

	static class StrictPrimitive {

		@LeaderOnly(otherwise = Otherwise.THROW)
		public int count() {
			return 1;
		}

	}

	static class SpecialFuture {

		@LeaderOnly
		public FutureTask<String> run() {
			return new FutureTask<>(() -> "done");
		}

	}

	static class SpecialFlux {

		@LeaderOnly
		public ConnectableFlux<String> run() {
			throw new IllegalStateException();
		}

	}

	@Configuration
	static class BeanMethod {

		@Bean
		@LeaderOnly
		StringBuilder job() {
			return new StringBuilder();
		}

	}

	static class BlankElection {

		@LeaderOnly("  ")
		public void run() {
		}

	}

	static class EmptyPlaceholder {

		@LeaderOnly("${nothing:}")
		public void run() {
		}

	}

	static class Expression {

		@LeaderOnly("${night}")
		public void run() {
		}

	}

	static class LongElection {

		@LeaderOnly("${long}")
		public void run() {
		}

	}

	static class UnresolvablePlaceholder {

		@LeaderOnly("${reports.election}")
		public void run() {
		}

	}

	static class Unnamed {

		@LeaderOnly
		public void run() {
		}

	}

	static class Fine implements Runnable {

		@Override
		@LeaderOnly
		public void run() {
		}

	}

	static class Infrastructure extends Fine implements AopInfrastructureBean {

	}

	static class Circle extends Fine {

		@Autowired
		Segment segment;

	}

	static class Segment {

		@Autowired
		Circle circle;

	}

	static class FineFactory implements FactoryBean<Fine> {

		@Override
		public Fine getObject() {
			return new Fine();
		}

		@Override
		public Class<?> getObjectType() {
			return Fine.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static Fine early() {
			return new Fine();
		}

		@Bean
		static Dependent dependent(Fine early) {
			return new Dependent();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyFactoryConfiguration {

		@Bean
		static FineFactory early() {
			return new FineFactory();
		}

		@Bean
		static Dependent dependent(Fine early) {
			return new Dependent();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReplacingConfiguration {

		@Bean
		static BeanPostProcessor replacing() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					return (bean instanceof Fine) ? new Fine() : bean;
				}

			};
		}

	}

	static class Dependent implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
