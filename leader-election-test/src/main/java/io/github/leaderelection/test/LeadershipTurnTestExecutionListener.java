package io.github.leaderelection.test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Lets tests that are run in parallel, and share an application context whose leadership
 * is under control, run one after the other.
 */
class LeadershipTurnTestExecutionListener implements TestExecutionListener, Ordered {

	private static final String TURN = LeadershipTurnTestExecutionListener.class.getName();

	/** The outermost, so that mocks are not reset in the middle of another test. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		if (LeadershipTestExecutionListener.control(testContext) == null) {
			return;
		}
		ApplicationContext context = testContext.getApplicationContext();
		TestTurn turn = context.getBean(TestTurn.class);
		turn.begin();
		testContext.setAttribute(TURN, turn);
	}

	/** Whatever has become of the context, the next test must not wait for ever. */
	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.removeAttribute(TURN) instanceof TestTurn turn) {
			turn.end();
		}
	}

}
