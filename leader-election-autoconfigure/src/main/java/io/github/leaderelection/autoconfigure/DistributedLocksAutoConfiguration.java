package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link DistributedLocks}.
 * Nothing is created until the locks are injected or looked up.
 * <p>
 * The locks are closed with the context, after the beans that they were injected into:
 * those can hold locks until they are destroyed. While leader election is disabled, locks
 * are held in memory and exclude no other process.
 */
// Late: the store may come from an auto-configuration that does not know this one.
@AutoConfiguration(after = { LeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBooleanProperty(name = "leader-election.locks.enabled", matchIfMissing = true)
@Conditional(DistributedLocksAutoConfiguration.OnStores.class)
public final class DistributedLocksAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(DistributedLocks.class)
	LockService distributedLocks(LeaderElectionProperties properties, ElectionSettingsResolver settings,
			ObjectProvider<RecordStores> stores, Environment environment) {
		RecordStores kept = JobConfiguration.stores(properties, stores, EngineClock.SYSTEM);
		return new LockService(LeaseStore.forLocks(kept, properties.prefix()), settings.locks(),
				properties.locks().unusedFor(), environment.getProperty("spring.application.name"),
				JobConfiguration.threads("leader-election-lock-", environment));
	}

	/** An application that has an engine of its own may have no store. */
	static class OnStores extends AnyNestedCondition {

		OnStores() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(RecordStores.class)
		static class Present {

		}

		@ConditionalOnBooleanProperty(name = "leader-election.enabled", havingValue = false)
		static class InMemory {

		}

	}

}
