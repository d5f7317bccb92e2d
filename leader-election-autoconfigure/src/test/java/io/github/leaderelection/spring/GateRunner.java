package io.github.leaderelection.spring;

import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts with a gate.
 */
public final class GateRunner {

	private GateRunner() {
	}

	/** Return a context in which nobody leads until the test says so. */
	static ApplicationContextRunner follower() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withPropertyValues("spring.application.name=orders")
			.withBean(TestGate.class, TestGate::new);
	}

	static TestGate gate(ApplicationContext context) {
		return context.getBean(TestGate.class);
	}

	/** Return the failure that ended the start of the context. */
	static InvalidLeaderOnlyException failure(AssertableApplicationContext context) {
		return failure(context, InvalidLeaderOnlyException.class);
	}

	/** Return a failure of another type in the same way. */
	public static <T extends Throwable> T failure(AssertableApplicationContext context, Class<T> type) {
		assertThat(context).hasFailed();
		Throwable failure = context.getStartupFailure();
		while (failure != null && !type.isInstance(failure)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("cause of %s", context.getStartupFailure()).isNotNull();
		return type.cast(failure);
	}

}
