package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.LeaderTransactions;
import io.github.leaderelection.fence.MongoTransactionFence;
import io.github.leaderelection.mongodb.TermFence;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.MongoTransactionManager;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for transactions of Spring Data
 * MongoDB that are fenced with a leadership.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration")
@ConditionalOnClass({ MongoTransactionManager.class, TermFence.class })
public final class LeaderFenceAutoConfiguration {

	/** The terms of a process that leads all by itself mean nothing to others. */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LeaderFence leaderFence(Environment environment, ObjectProvider<MongoTransactionManager> managers) {
		boolean enabled = environment.getProperty(LeaderElectionProperties.PREFIX + ".enabled", Boolean.class, true);
		return enabled ? new MongoTransactionFence(managers::stream) : LeaderFence.NONE;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardedManagers leaderFenceGuardedManagers(LeaderFence fence) {
		return new GuardedManagers(fence);
	}

	/** Made where somebody wants it: on a standalone server that is an error. */
	@Bean
	@Lazy
	@ConditionalOnSingleCandidate(MongoTransactionManager.class)
	@ConditionalOnMissingBean
	LeaderTransactions leaderTransactions(LeaderFence fence, MongoTransactionManager manager) {
		return new LeaderTransactions(fence, manager);
	}

	/**
	 * Lets the fence guard each transaction manager of the application, however late it
	 * is made.
	 *
	 * @param fence the fence
	 */
	record GuardedManagers(LeaderFence fence) implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String beanName) {
			if (bean instanceof MongoTransactionManager manager
					&& this.fence instanceof MongoTransactionFence transactions) {
				transactions.guard(manager);
			}
			return bean;
		}

	}

}
