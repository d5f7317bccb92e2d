package io.github.leaderelection.test;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.util.StringUtils;

/**
 * Makes this instance lead what a test wants, from just before its first
 * {@code @BeforeEach} method until just after its last {@code @AfterEach} method.
 */
class LeadershipTestExecutionListener implements TestExecutionListener, Ordered {

	/** Innermost, so that mocks have been reset and fields injected before. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		LeadershipControl control = control(testContext);
		if (control == null) {
			return;
		}
		control.reset(wanted(testContext));
	}

	private static Map<String, Boolean> wanted(TestContext testContext) {
		Environment environment = testContext.getApplicationContext().getEnvironment();
		return new WantedLeadership(testContext.getTestClass(), testContext.getTestMethod(),
				(value) -> election(value, environment))
			.byElection();
	}

	/** Explain the failure of a test that is not annotated while others are. */
	@Override
	public void afterTestExecution(TestContext testContext) {
		Throwable failure = testContext.getTestException();
		if (failure != null && control(testContext) != null && wanted(testContext).isEmpty()
				&& !TestContextAnnotationUtils.hasAnnotation(testContext.getTestClass(),
						AutoConfigureLeadershipControl.class)) {
			failure.addSuppressed(new IllegalStateException("This instance led no election when the test began, since "
					+ "the test has no @WithLeadership, and other tests of %s have such annotations: with these, "
						.formatted(testContext.getTestClass().getSimpleName())
					+ "elections that a test does not name are led by another instance. If the test needs leadership, "
					+ "annotate it, or the class"));
		}
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		LeadershipControl control = control(testContext);
		if (control != null) {
			control.revokeAll();
		}
	}

	static @Nullable LeadershipControl control(TestContext testContext) {
		if (!testContext.hasApplicationContext()) {
			return null;
		}
		ApplicationContext context = testContext.getApplicationContext();
		boolean active = context instanceof ConfigurableApplicationContext configurable && configurable.isActive();
		return active ? context.getBeanProvider(LeadershipControl.class).getIfAvailable() : null;
	}

	private static String election(String value, Environment environment) {
		if (StringUtils.hasText(value)) {
			return environment.resolveRequiredPlaceholders(value);
		}
		String election = environment.getProperty("leader-election.default-election",
				environment.getProperty("spring.application.name", ""));
		if (election.isEmpty()) {
			throw new IllegalStateException("@WithLeadership or @WithoutLeadership names no election, and there is no "
					+ "default: set leader-election.default-election or spring.application.name");
		}
		return election;
	}

}
