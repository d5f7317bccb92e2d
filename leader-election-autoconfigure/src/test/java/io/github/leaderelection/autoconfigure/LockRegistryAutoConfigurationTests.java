package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.integration.DistributedLockRegistry;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRegistryAutoConfiguration}.
 */
class LockRegistryAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, LockRegistryAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new);

	@Test
	void registryUsesTheLocksOfTheApplication() {
		this.runner.run((context) -> {
			LockRegistry<?> registry = context.getBean(LockRegistry.class);
			registry.obtain("a").lock();
			assertThat(context.getBean(LockService.class).held()).isOne();
			registry.obtain("a").unlock();
		});
	}

	@Test
	void applicationMayHaveARegistryOfItsOwn() {
		this.runner.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void withoutLocksThereIsNoRegistry() {
		this.runner.withPropertyValues("leader-election.locks.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLockRegistry.class));
	}

	@Test
	void springIntegrationNeedNotBeThere() {
		this.runner.withClassLoader(new FilteredClassLoader(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockService.class));
	}

}
