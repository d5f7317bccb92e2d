package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.integration.DistributedLockRegistry;
import io.github.leaderelection.lock.DistributedLocks;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for a {@link LockRegistry} of Spring
 * Integration.
 */
@AutoConfiguration(after = DistributedLocksAutoConfiguration.class)
@ConditionalOnClass({ LockRegistry.class, DistributedLockRegistry.class })
public final class LockRegistryAutoConfiguration {

	@Bean
	@ConditionalOnBean(DistributedLocks.class)
	@ConditionalOnMissingBean(LockRegistry.class)
	DistributedLockRegistry distributedLockRegistry(DistributedLocks locks) {
		return new DistributedLockRegistry(locks);
	}

}
