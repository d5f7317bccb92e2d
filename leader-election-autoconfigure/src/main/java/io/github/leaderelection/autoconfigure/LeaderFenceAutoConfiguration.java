package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.LeaderTransactions;
import io.github.leaderelection.fence.TransactionFence;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for transactions that are fenced
 * with a leadership.
 */
@AutoConfiguration(
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
				"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration" })
@ConditionalOnClass(PlatformTransactionManager.class)
@Import(LeaderFenceAutoConfiguration.GuardConfiguration.class)
public final class LeaderFenceAutoConfiguration {

	/** Without elections there is no fence: the terms mean nothing to others. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LeaderFence leaderFence(Environment environment, ObjectProvider<PlatformTransactionManager> managers) {
		LeaderElectionProperties properties = LeaderElectionProperties.bind(environment);
		if (!properties.enabled()) {
			return LeaderFence.NONE;
		}
		try {
			return new TransactionFence(managers::stream, properties.jdbc().tablePrefix() + "fence");
		}
		catch (IllegalArgumentException ex) {
			throw properties.jdbc().invalidPrefix(ex);
		}
	}

	/** Created only on demand: it is an error if the database can't be fenced. */
	@Bean
	@Lazy
	@ConditionalOnSingleCandidate(PlatformTransactionManager.class)
	@ConditionalOnMissingBean
	LeaderTransactions leaderTransactions(LeaderFence fence, PlatformTransactionManager manager) {
		return new LeaderTransactions(fence, manager);
	}

	/** Also used in child contexts, which have transaction managers of their own. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(PlatformTransactionManager.class)
	static class GuardConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static GuardedManagers leaderFenceGuardedManagers(ObjectProvider<LeaderFence> fence) {
			return new GuardedManagers(fence.getIfUnique(() -> LeaderFence.NONE));
		}

	}

	/**
	 * Lets the fence guard each transaction manager of the application, however late it
	 * is created.
	 *
	 * @param fence the fence
	 */
	record GuardedManagers(LeaderFence fence) implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (bean instanceof PlatformTransactionManager manager
					&& this.fence instanceof TransactionFence transactions) {
				transactions.guard(manager);
			}
			return bean;
		}

	}

}
