package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * Lets work know that leadership {@linkplain Leadership#isEnding() is ending} as soon as
 * the application context begins to close. {@link LeaderElectionLifecycle} stops long
 * after that, when the schedulers have waited for the very work that should end.
 * <p>
 * Leases are held until then, and gated calls let in: requests still arrive while a web
 * server shuts down gracefully.
 */
public class LeaderElectionClosing implements ApplicationListener<ContextClosedEvent>, Ordered {

	private final ApplicationContext context;

	private final ObjectProvider<ElectionEngine> engine;

	/**
	 * Create a listener.
	 * @param context the context that the engine belongs to; others may close
	 * @param engine the engine, if there is one
	 */
	public LeaderElectionClosing(ApplicationContext context, ObjectProvider<ElectionEngine> engine) {
		this.context = context;
		this.engine = engine;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.engine.ifAvailable(ElectionEngine::prepareClose);
		}
	}

	/** Other listeners may take their time. */
	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

}
