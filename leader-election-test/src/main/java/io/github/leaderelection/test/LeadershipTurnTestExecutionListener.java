package io.github.leaderelection.test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Lets parallel tests run one after the other if they share an application context whose
 * leadership is under control.
 */
class LeadershipTurnTestExecutionListener implements TestExecutionListener, Ordered {

	private static final String TURN = LeadershipTurnTestExecutionListener.class.getName();

	/** Outermost, so that mocks are not reset in the middle of another test. */
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

	/** End the turn in any case: the next test must not wait forever. */
	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.removeAttribute(TURN) instanceof TestTurn turn) {
			turn.end();
		}
	}

}
