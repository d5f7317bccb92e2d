package io.github.leaderelection.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.other.PublicJob;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the various ways in which a bean gets its proxy.
 */
class LeaderOnlyProxyTests {

	private static final String BY_INTERFACES = "spring.aop.proxy-target-class=false";

	private final ApplicationContextRunner runner = GateRunner.follower();

	static Stream<Named<UnaryOperator<ApplicationContextRunner>>> ways() {
		Map<String, UnaryOperator<ApplicationContextRunner>> ways = new LinkedHashMap<>();
		ways.put("by its class", (runner) -> runner.withBean(JobBean.class));
		ways.put("by its interfaces", (runner) -> runner.withBean(JobBean.class).withPropertyValues(BY_INTERFACES));
		ways.put("final, by its interfaces",
				(runner) -> runner.withBean(FinalJob.class).withPropertyValues(BY_INTERFACES));
		ways.put("lambda", (runner) -> runner.withBean(AnnotatedJob.class, () -> () -> "ran"));
		ways.put("without auto-proxying",
				(runner) -> runner.withBean(JobBean.class).withPropertyValues("spring.aop.auto=false"));
		ways.put("without AspectJ",
				(runner) -> runner.withBean(PublicJob.class).withClassLoader(new FilteredClassLoader("org.aspectj")));
		ways.put("class proxy", (runner) -> runner.withBean(JobBean.class, () -> (JobBean) proxy(true).getProxy()));
		ways.put("interface proxy",
				(runner) -> runner.withBean(Supplier.class, () -> (Supplier<?>) proxy(false).getProxy()));
		ways.put("proxy without target", (runner) -> runner.withBean(AnnotatedJob.class,
				() -> ProxyFactory.getProxy(AnnotatedJob.class, (MethodInterceptor) (invocation) -> "ran")));
		ways.put("opaque proxy", (runner) -> runner.withBean(JobBean.class, () -> {
			ProxyFactory factory = proxy(true);
			factory.setOpaque(true);
			return (JobBean) factory.getProxy();
		}));
		ways.put("frozen proxy", (runner) -> runner.withBean(JobBean.class, () -> {
			ProxyFactory factory = proxy(true);
			factory.setFrozen(true);
			return (JobBean) factory.getProxy();
		}));
		ways.put("scoped", (runner) -> runner.withUserConfiguration(ScopedConfiguration.class));
		ways.put("made by a factory bean", (runner) -> runner.withBean("jobs", JobFactory.class));
		return ways.entrySet().stream().map((way) -> Named.of(way.getKey(), way.getValue()));
	}

	private static ProxyFactory proxy(boolean byClass) {
		ProxyFactory factory = new ProxyFactory(new JobBean());
		factory.setProxyTargetClass(byClass);
		return factory;
	}

	@ParameterizedTest
	@MethodSource("ways")
	void beanIsGatedOnce(UnaryOperator<ApplicationContextRunner> way) {
		way.apply(this.runner).run((context) -> {
			Supplier<?> job = context.getBean(Supplier.class);
			assertThat(job.get()).isNull();
			assertThat(GateRunner.gate(context).asked()).containsExactly("job");
			GateRunner.gate(context).leading("job");
			assertThat(job.get()).isEqualTo("ran");
		});
	}

	@Test
	void beansAreProxiedByTheirClassUnlessThePropertySaysOtherwise() {
		ApplicationContextRunner jobs = this.runner.withBean(JobBean.class);
		jobs.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean(Supplier.class))).isTrue());
		jobs.withPropertyValues(BY_INTERFACES)
			.run((context) -> assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Supplier.class))).isTrue());
	}

	@Test
	void beanThatIsAProxyAlreadyIsGatedInPlace() {
		this.runner.withBean(JobBean.class, () -> (JobBean) proxy(true).getProxy())
			.run((context) -> assertThat(((Advised) context.getBean(JobBean.class)).getTargetSource().getTarget())
				.isExactlyInstanceOf(JobBean.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { BeanDefinition.SCOPE_SINGLETON, BeanDefinition.SCOPE_PROTOTYPE })
	void beanCreatedLaterIsGated(String scope) {
		this.runner.withBean("jobs", JobBean.class, JobBean::new, (definition) -> {
			definition.setScope(scope);
			definition.setLazyInit(true);
		}).run((context) -> {
			assertThat(GateRunner.gate(context).stood()).isEmpty();
			assertThat(context.getBean(JobBean.class).get()).isNull();
			assertThat(context.getBean(JobBean.class).get()).isNull();
			assertThat(GateRunner.gate(context).stood()).containsExactly("job");
		});
	}

	@Test
	void methodsOfAConfigurationClassAreGated() {
		this.runner.withUserConfiguration(FullConfiguration.class).run((context) -> {
			FullConfiguration configuration = context.getBean(FullConfiguration.class);
			assertThat(configuration.job()).isNull();
			assertThat(context.getBean(StringBuilder.class)).hasToString("made");
			GateRunner.gate(context).leading("configuration");
			assertThat(configuration.job()).isEqualTo("ran");
		});
	}

	@Test
	void mockedBeanNeedsNoGate() {
		this.runner
			.withInitializer((context) -> ((GenericApplicationContext) context).getBeanFactory()
				.registerSingleton("mocked", Mockito.mock(JobBean.class)))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void originalInstanceIsLeftAlone() {
		this.runner.run((context) -> {
			JobBean original = new JobBean();
			String name = JobBean.class.getName() + AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX;
			assertThat(context.getAutowireCapableBeanFactory().initializeBean(original, name)).isSameAs(original);
		});
	}

	interface AnnotatedJob extends Supplier<String> {

		@Override
		@LeaderOnly("job")
		String get();

	}

	static class JobBean implements Supplier<String> {

		@Override
		@LeaderOnly("job")
		public String get() {
			return "ran";
		}

	}

	static final class FinalJob implements Supplier<String> {

		@Override
		@LeaderOnly("job")
		public final String get() {
			return "ran";
		}

	}

	static class JobFactory implements FactoryBean<JobBean> {

		@Override
		public JobBean getObject() {
			return new JobBean();
		}

		@Override
		public Class<?> getObjectType() {
			return JobBean.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		JobBean job() {
			return new JobBean();
		}

	}

	@Configuration
	static class FullConfiguration {

		@Bean
		StringBuilder made() {
			return new StringBuilder("made");
		}

		@LeaderOnly("configuration")
		String job() {
			return "ran";
		}

	}

}
