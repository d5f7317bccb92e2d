package io.github.leaderelection.spring;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that beans which can't be gated do not start, and of each message. Most are in a
 * table, {@code refused-beans.txt}; here are those whose definition matters.
 */
class InvalidLeaderOnlyTests {

	private static final String PLACE = InvalidLeaderOnlyTests.class.getName() + "$";

	private final ApplicationContextRunner runner = GateRunner.follower();

	static List<RefusedBean> beans() throws Exception {
		return RefusedBean.all("refused-beans.txt");
	}

	@ParameterizedTest
	@MethodSource("beans")
	void invalidBean(RefusedBean bean) {
		bean.check(this.runner);
	}

	@Test
	void setterThatTheBeanDefinitionNames() {
		for (Consumer<AbstractBeanDefinition> way : List.<Consumer<AbstractBeanDefinition>>of(
				(definition) -> definition.getPropertyValues().add("name", "night"),
				(definition) -> definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_BY_NAME))) {
			this.runner.withInitializer((context) -> {
				RootBeanDefinition definition = new RootBeanDefinition(Setting.class);
				way.accept(definition);
				((GenericApplicationContext) context).registerBeanDefinition("setting", definition);
			})
				.run((context) -> assertThat(GateRunner.failure(context).getDescription())
					.endsWith(": the container calls it on the bean itself, on every instance"));
		}
	}

	@Test
	void beanThatIsMadeTooEarly() {
		this.runner.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage("@LeaderOnly on bean 'early' (" + PLACE
					+ "Fine) can't be enforced: the bean has no gate, "
					+ "since it was created before the bean post-processors, registered as an instance, or replaced "
					+ "after it was proxied. Don't let bean post-processors depend on it; declare it by its class "
					+ "or a @Bean method, and move the annotated methods to a bean of their own if need be"));
	}

	static Stream<Named<UnaryOperator<ApplicationContextRunner>>> waysPastTheGate() {
		return Stream.of(
				Named.of("product of a factory bean that is made too early",
						(runner) -> runner.withUserConfiguration(EarlyFactoryConfiguration.class)),
				Named.of("product of a synthetic factory bean", (runner) -> runner.withInitializer((context) -> {
					RootBeanDefinition definition = new RootBeanDefinition(FineFactory.class);
					definition.setSynthetic(true);
					((GenericApplicationContext) context).registerBeanDefinition("fine", definition);
				})),
				Named.of("bean that is registered as an instance",
						(runner) -> runner
							.withInitializer((context) -> ((GenericApplicationContext) context).getBeanFactory()
								.registerSingleton("fine", new Fine()))),
				Named.of("bean that is replaced after it was proxied",
						(runner) -> runner.withUserConfiguration(ReplacingConfiguration.class)
							.withBean("fine", Fine.class)));
	}

	@ParameterizedTest
	@MethodSource("waysPastTheGate")
	void beanThatBypassesTheGate(UnaryOperator<ApplicationContextRunner> way) {
		way.apply(this.runner)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageStartingWith("@LeaderOnly on bean 'fine' (" + PLACE + "Fine) can't be enforced"));
	}

	@Test
	void beanThatIsNotToBeProxied() {
		this.runner.withBean("infrastructure", Infrastructure.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessage("@LeaderOnly on bean 'infrastructure' (" + PLACE + "Infrastructure) can't be enforced: "
						+ "Spring does not proxy a bean that implements AopInfrastructureBean. Remove the interface"));
		this.runner.withBean("jobs.ORIGINAL", Fine.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage(
					"@LeaderOnly on bean 'jobs.ORIGINAL' (" + PLACE + "Fine) can't be enforced: Spring does not "
							+ "proxy a bean whose name ends in .ORIGINAL. Give the bean another name"));
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

	static class Setting {

		@LeaderOnly
		public void setName(String name) {
		}

	}

	static class Primitive {

		@LeaderOnly
		public int count() {
			return 1;
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
		static FineFactory fine() {
			return new FineFactory();
		}

		@Bean
		static Dependent dependent(Fine fine) {
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
