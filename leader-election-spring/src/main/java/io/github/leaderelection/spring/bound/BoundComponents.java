package io.github.leaderelection.spring.bound;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.spring.bound.ComponentSettings.Named;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.ContextStartedEvent;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Registers the components of an application context that are bound to the leader, each
 * as a candidate of its own in its election.
 * <p>
 * Starts before all other beans, to keep the context from starting the components, and
 * checks them when all others have started: a component that runs on an instance that
 * does not lead is stopped, and the application does not start.
 */
public final class BoundComponents implements SmartLifecycle, ApplicationListener<ApplicationContextEvent> {

	private static final Logger logger = LoggerFactory.getLogger(BoundComponents.class);

	private final ConfigurableApplicationContext context;

	private final ObjectProvider<LeaderElection> elections;

	private final ComponentSettings settings;

	private final AnnotationValues values;

	private final BackOff backOff = doubling();

	private final CountDownLatch refreshed = new CountDownLatch(1);

	private volatile List<BoundComponent> components = List.of();

	private volatile boolean running;

	/**
	 * Create an instance.
	 * @param context the context whose components are bound
	 * @param elections the elections to stand in, looked up if there is a component to
	 * bind
	 * @param settings which components are bound, besides those that are annotated
	 * @param values resolves the elections of annotations
	 */
	public BoundComponents(ConfigurableApplicationContext context, ObjectProvider<LeaderElection> elections,
			ComponentSettings settings, AnnotationValues values) {
		this.context = context;
		this.elections = elections;
		this.settings = settings;
		this.values = values;
	}

	/** Return a backoff of one second that doubles each time, up to a minute. */
	static BackOff doubling() {
		ExponentialBackOff doubling = new ExponentialBackOff(1000, 2);
		doubling.setMaxInterval(60_000);
		return doubling;
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		ComponentFinder finder = new ComponentFinder(this.context.getBeanFactory(), this.settings, boundAround(),
				this.values);
		List<BoundComponent> found = new ArrayList<>();
		for (ComponentBinding binding : finder.find()) {
			binding.switchAutoStartupOff();
			found.add(new BoundComponent(binding, this.settings.resigning().test(binding.election()), this.backOff,
					this.refreshed));
		}
		this.components = List.copyOf(found);
		this.components.forEach(this::register);
		this.running = true;
	}

	private List<Named> boundAround() {
		ApplicationContext parent = this.context.getParent();
		BoundComponents around = (parent != null) ? parent.getBeanProvider(BoundComponents.class).getIfAvailable()
				: null;
		return (around != null) ? around.settings.components() : List.of();
	}

	private void register(BoundComponent component) {
		LeaderElection all = this.elections.getIfAvailable();
		if (all == null) {
			throw component.binding()
				.invalid("there is no LeaderElection bean to start it",
						"Let LeaderElectionAutoConfiguration or @EnableLeaderElection create one");
		}
		all.register(component);
	}

	@Override
	public synchronized void stop() {
		this.components.forEach((component) -> {
			component.abandon();
			unregister(component);
		});
		this.components = List.of();
		this.running = false;
	}

	/**
	 * Unregister explicitly: the elections may belong to a parent context that goes on.
	 */
	private void unregister(Candidate component) {
		try {
			this.elections.ifAvailable((all) -> all.unregister(component));
		}
		catch (RuntimeException ex) {
			logger.debug("Could not unregister {}", component, ex);
		}
	}

	@Override
	public void onApplicationEvent(ApplicationContextEvent event) {
		if (event.getApplicationContext() != this.context) {
			return;
		}
		if (event instanceof ContextRefreshedEvent) {
			this.components.forEach(BoundComponents::requireNotStarted);
			this.refreshed.countDown();
		}
		else if (event instanceof ContextStartedEvent) {
			this.components.forEach(BoundComponents::reconcile);
		}
	}

	private static void requireNotStarted(BoundComponent component) {
		if (component.reconcile()) {
			throw component.binding()
				.invalid("something else has started it, though this instance does not lead",
						"Let no other bean call its start(). The context also starts a Lifecycle that a bean it starts "
								+ "depends on: implement SmartLifecycle, and return false from isAutoStartup()");
		}
	}

	private static void reconcile(BoundComponent component) {
		try {
			if (component.reconcile()) {
				logger.warn("Component '{}' was started with its context, though this instance does not lead '{}'; "
						+ "it was stopped again", component.binding().name(), component.election());
			}
		}
		catch (RuntimeException ex) {
			logger.error("Component '{}' could not be stopped or restarted after its context was started",
					component.binding().name(), ex);
		}
	}

	@Override
	public boolean supportsAsyncExecution() {
		// The context must wait for the check.
		return false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
