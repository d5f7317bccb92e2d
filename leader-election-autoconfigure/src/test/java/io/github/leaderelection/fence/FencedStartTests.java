package io.github.leaderelection.fence;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.spring.GateRunner;
import io.github.leaderelection.spring.InvalidLeaderOnlyException;
import io.github.leaderelection.spring.TestGate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the requirements of fenced transactions, and the messages without them.
 */
public class FencedStartTests {

	private static final String PLACE = "@LeaderOnly on " + Ledger.class.getName() + ".book() is not valid: ";

	private static final String NO_MANAGER = "transactions can't be fenced: there is no supported transaction "
			+ "manager. For a relational database, add spring-boot-starter-jdbc or "
			+ "spring-boot-starter-data-jpa; for MongoDB, spring-boot-starter-data-mongodb, and declare a bean: "
			+ "new MongoTransactionManager(databaseFactory)";

	private static final String STANDALONE = "Transactions can't be fenced: MongoDB is a standalone server, which "
			+ "has no transactions. Use a replica set: one of a single member will do";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoAutoConfiguration.class,
				DataMongoAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.database=shop")
		.withBean(TestGate.class)
		.withBean(Ledger.class);

	private final ApplicationContextRunner onMongo = this.runner.withUserConfiguration(Transactions.class)
		.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri());

	@Test
	void noTransactionManager() {
		this.runner.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri())
			.run((context) -> assertThat(failure(context)).hasMessage(PLACE + NO_MANAGER));
		this.runner.withClassLoader(new FilteredClassLoader(MongoTransactionManager.class))
			.run((context) -> assertThat(failure(context)).hasMessage(PLACE + NO_MANAGER));
	}

	@Test
	void standaloneServer() {
		ApplicationContextRunner unannotated = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
					LeaderFenceAutoConfiguration.class))
			.withPropertyValues("spring.mongodb.database=shop")
			.withUserConfiguration(Transactions.class);
		try (MongoStandalone standalone = MongoStandalone.start()) {
			this.runner.withUserConfiguration(Transactions.class)
				.withPropertyValues("spring.mongodb.uri=" + standalone.uri())
				.run((context) -> assertThat(failure(context))
					.hasMessage(PLACE + StringUtils.uncapitalize(STANDALONE)));
			unannotated.withPropertyValues("spring.mongodb.uri=" + standalone.uri())
				.run((context) -> assertThat(context).hasNotFailed());
			unannotated.withPropertyValues("spring.mongodb.uri=" + standalone.uri())
				.withBean(Days.class)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(UnusableFenceException.class)
					.hasMessage(STANDALONE));
		}
		unannotated.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri())
			.withBean(Days.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** Nobody leads then, and later writes meet the fence. */
	@Test
	void serverThatIsDown() {
		this.runner.withUserConfiguration(Transactions.class)
			.withPropertyValues("spring.mongodb.uri=mongodb://127.0.0.1:1")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void managerWithoutSynchronization() {
		this.onMongo
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beanFactory) -> beanFactory.addBeanPostProcessor(new SynchronizationOff())))
			.run((context) -> assertThat(failure(context))
				.hasMessageContaining("the transaction manager has no transaction synchronization"));
	}

	@Test
	void lazyBean() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class))
			.withBean(TestGate.class)
			.withBean(Ledger.class, Ledger::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(Ledger.class))
					.withRootCauseInstanceOf(InvalidLeaderOnlyException.class);
			});
	}

	@Test
	void lazyTransactionManager() {
		this.onMongo
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(Ledger.class).book();
			});
	}

	@Test
	void publisher() {
		this.onMongo.withBean(Reactive.class)
			.run((context) -> assertThat(failure(context))
				.hasMessageContaining("reactive transactions can't be fenced by the annotation")
				.hasMessageContaining("pass a ReactiveTermFence in each transaction"));
	}

	@Test
	void component() {
		this.onMongo.withBean("feed", Feed.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("the writes of a component can't be fenced"));
	}

	@Test
	void nothingIsNeededWhileLeaderElectionIsDisabled() {
		this.runner.withPropertyValues("leader-election.enabled=false", "spring.mongodb.uri=" + SharedMongo.uri())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LeaderFence.class)).isSameAs(LeaderFence.NONE);
			});
	}

	@Test
	void managerOfAChildThatIsNotAutoConfigured() {
		SpringApplicationBuilder parent = new SpringApplicationBuilder(Parent.class).web(WebApplicationType.NONE);
		SpringApplicationBuilder child = parent.child(Ledger.class, Accounts.class).web(WebApplicationType.NONE);
		assertThatExceptionOfType(InvalidLeaderOnlyException.class).isThrownBy(child::run)
			.withMessageContaining("leader_election_fence");
		parent.context().close();
	}

	private static Throwable failure(AssertableApplicationContext context) {
		return GateRunner.failure(context, InvalidLeaderOnlyException.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class Transactions {

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class, TestGate.class })
	static class Parent {

	}

	@Configuration(proxyBeanMethods = false)
	static class Accounts {

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:child"));
		}

	}

	public static class Ledger {

		@LeaderOnly(value = "books", fenced = true)
		public void book() {
		}

	}

	record Days(LeaderTransactions transactions) {

	}

	static class Reactive {

		@LeaderOnly(value = "books", fenced = true)
		public Mono<String> book() {
			return Mono.empty();
		}

	}

	@LeaderOnly(value = "books", fenced = true)
	static class Feed extends SimpleAsyncTaskScheduler {

		private static final long serialVersionUID = 1L;

	}

	private static final class SynchronizationOff implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (bean instanceof AbstractPlatformTransactionManager manager) {
				manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			}
			return bean;
		}

	}

}
