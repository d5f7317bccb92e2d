package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.other.PublicJob;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
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
 * Tests of the many ways in which a bean comes by its proxy.
 */
class LeaderOnlyProxyTests {

	private final ApplicationContextRunner runner = GateRunner.follower();

	@Test
	void beansAreProxiedByTheirClass() {
		this.runner.withBean(JobBean.class).run((context) -> {
			assertThat(AopUtils.isCglibProxy(context.getBean(JobBean.class))).isTrue();
			assertThat(context.getBean(JobBean.class).run()).isNull();
		});
	}

	@Test
	void beansCanBeProxiedByTheirInterfaces() {
		this.runner.withBean(JobBean.class).withPropertyValues("spring.aop.proxy-target-class=false").run((context) -> {
			Job job = context.getBean(Job.class);
			assertThat(AopUtils.isJdkDynamicProxy(job)).isTrue();
			assertThat(job.run()).isNull();
			GateRunner.gate(context).leading("job");
			assertThat(job.run()).isEqualTo("ran");
		});
	}

	@Test
	void finalClassCanBeProxiedByItsInterfaces() {
		this.runner.withBean(FinalJob.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context.getBean(Job.class).run()).isNull());
	}

	@Test
	void lambdaIsGatedByItsInterface() {
		this.runner.withBean(AnnotatedJob.class, () -> () -> "ran").run((context) -> {
			assertThat(context.getBean(AnnotatedJob.class).run()).isNull();
			GateRunner.gate(context).leading("interface");
			assertThat(context.getBean(AnnotatedJob.class).run()).isEqualTo("ran");
		});
	}

	@Test
	void genericInterfaceIsGatedBehindAnInterfaceProxy() {
		this.runner.withBean(TextSupplier.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				assertThat(context.getBean(Supplier.class).get()).isNull();
				assertThat(GateRunner.gate(context).asked()).containsExactly("supplier");
			});
	}

	@Test
	void gatesWithoutAutoProxying() {
		this.runner.withBean(JobBean.class)
			.withPropertyValues("spring.aop.auto=false")
			.run((context) -> assertThat(context.getBean(JobBean.class).run()).isNull());
	}

	@Test
	void gatesWithoutAspectJ() {
		this.runner.withBean(PublicJob.class)
			.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.run((context) -> assertThat(context.getBean(PublicJob.class).run()).isNull());
	}

	@Test
	void beanThatIsAProxyAlreadyIsGatedInPlace() {
		this.runner.withBean(Job.class, LeaderOnlyProxyTests::classProxy).run((context) -> {
			assertThat(context.getBean(Job.class).run()).isNull();
			assertThat(((Advised) context.getBean(Job.class)).getTargetSource().getTarget())
				.isExactlyInstanceOf(JobBean.class);
			GateRunner.gate(context).leading("job");
			assertThat(context.getBean(Job.class).run()).isEqualTo("ran");
		});
	}

	@Test
	void interfaceProxyOfAnAnnotatedClassIsGated() {
		this.runner.withBean(Job.class, LeaderOnlyProxyTests::interfaceProxy)
			.run((context) -> assertThat(context.getBean(Job.class).run()).isNull());
	}

	@Test
	void interfaceOfAProxyWithoutTargetIsGated() {
		this.runner
			.withBean(AnnotatedJob.class,
					() -> ProxyFactory.getProxy(AnnotatedJob.class, (MethodInterceptor) (invocation) -> "from nowhere"))
			.run((context) -> {
				AnnotatedJob job = context.getBean(AnnotatedJob.class);
				assertThat(job.run()).isNull();
				GateRunner.gate(context).leading("interface");
				assertThat(job.run()).isEqualTo("from nowhere");
			});
	}

	@Test
	void opaqueProxyIsProxiedOnceMore() {
		this.runner.withBean(JobBean.class, () -> {
			ProxyFactory factory = new ProxyFactory(new JobBean());
			factory.setProxyTargetClass(true);
			factory.setOpaque(true);
			return (JobBean) factory.getProxy();
		}).run((context) -> assertThat(context.getBean(JobBean.class).run()).isNull());
	}

	@Test
	void frozenProxyIsProxiedOnceMore() {
		this.runner.withBean(JobBean.class, () -> {
			ProxyFactory factory = new ProxyFactory(new JobBean());
			factory.setProxyTargetClass(true);
			factory.setFrozen(true);
			return (JobBean) factory.getProxy();
		}).run((context) -> assertThat(context.getBean(JobBean.class).run()).isNull());
	}

	@Test
	void eachPrototypeIsGated() {
		this.runner
			.withBean("jobs", JobBean.class, JobBean::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> {
				assertThat(GateRunner.gate(context).stood()).isEmpty();
				assertThat(context.getBean(JobBean.class).run()).isNull();
				assertThat(context.getBean(JobBean.class).run()).isNull();
				assertThat(GateRunner.gate(context).stood()).containsExactly("job");
			});
	}

	@Test
	void lazyBeanIsGatedWhenItIsMade() {
		this.runner.withBean("jobs", JobBean.class, JobBean::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(GateRunner.gate(context).stood()).isEmpty();
				assertThat(context.getBean(JobBean.class).run()).isNull();
				assertThat(GateRunner.gate(context).stood()).containsExactly("job");
			});
	}

	@Test
	void scopedBeanIsGatedBehindItsScopedProxy() {
		this.runner.withUserConfiguration(ScopedConfiguration.class).run((context) -> {
			assertThat(context.getBean(JobBean.class).run()).isNull();
			assertThat(GateRunner.gate(context).asked()).containsExactly("job");
		});
	}

	@Test
	void productOfAFactoryBeanIsGated() {
		this.runner.withBean("jobs", JobFactory.class).run((context) -> {
			assertThat(context.getBean(JobBean.class).run()).isNull();
			assertThat(context.getBean(JobFactory.class).getObjectType()).isEqualTo(JobBean.class);
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
	void mockInPlaceOfABeanNeedsNoGate() {
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

	private static JobBean classProxy() {
		ProxyFactory factory = new ProxyFactory(new JobBean());
		factory.setProxyTargetClass(true);
		return (JobBean) factory.getProxy();
	}

	private static Job interfaceProxy() {
		return (Job) new ProxyFactory(new JobBean()).getProxy();
	}

	interface Job {

		String run();

	}

	interface AnnotatedJob {

		@LeaderOnly("interface")
		String run();

	}

	static class JobBean implements Job {

		@Override
		@LeaderOnly("job")
		public String run() {
			return "ran";
		}

	}

	static final class FinalJob implements Job {

		@Override
		@LeaderOnly("job")
		public final String run() {
			return "ran";
		}

	}

	static class TextSupplier implements Supplier<String> {

		@Override
		@LeaderOnly("supplier")
		public String get() {
			return "text";
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
