package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.RecordedRun;
import io.github.leaderelection.job.RunLauncher;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Brings Spring's scheduling and the records of runs together, in one application
 * context: makes the tasks whose calls are runs, and registers the jobs. Where nothing is
 * scheduled, nothing is registered.
 */
public final class JobScheduling implements SchedulingConfigurer, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(JobScheduling.class);

	private final Supplier<@Nullable JobSettings> settings;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Map<JobKey, ScheduledBean> registered = new ConcurrentHashMap<>();

	/** The methods of each class. */
	private final Map<Class<?>, Collection<RecordedMethod>> methods = new ConcurrentHashMap<>();

	private volatile @Nullable RecordedJobs jobs;

	// Guarded by this, which nobody holds while beans are made.

	private final List<ScheduledBean> waiting = new ArrayList<>();

	private @Nullable ScheduledTaskRegistrar registrar;

	/**
	 * Create an instance.
	 * @param settings supplies where runs are recorded, or {@code null} where they are
	 * not; first asked when a method is to be registered
	 * @param beanFactory the beans of the context
	 */
	public JobScheduling(Supplier<@Nullable JobSettings> settings, ConfigurableListableBeanFactory beanFactory) {
		this.settings = settings;
		this.beanFactory = beanFactory;
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar taskRegistrar) {
		synchronized (this) {
			this.registrar = taskRegistrar;
		}
		if (!hasProcessor()) {
			registerWaiting();
		}
	}

	/**
	 * Add a bean that has methods whose scheduled runs are recorded, before it is
	 * scheduled.
	 * @param methods the methods
	 * @param bean the bean, with its gate
	 * @param beanName its name
	 */
	synchronized void add(Collection<RecordedMethod> methods, Object bean, String beanName) {
		if (!methods.isEmpty()) {
			this.methods.put(AopProxyUtils.ultimateTargetClass(bean), methods);
			methods.forEach((method) -> this.waiting.add(new ScheduledBean(method, beanName)));
		}
	}

	/**
	 * Return what the scheduler is to call.
	 * @param task what it would call by itself
	 * @param method the method that is annotated
	 * @return a task of the same kind, the same if its calls are not recorded
	 */
	ScheduledMethodRunnable taskFor(ScheduledMethodRunnable task, Method method) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(task.getTarget());
		for (RecordedMethod each : this.methods.getOrDefault(type, List.of())) {
			if (each.method().declarations().contains(method)) {
				RecordedTask recorded = new RecordedTask(task, each, PlannedRun.TICK, this);
				each.scheduled(recorded);
				registerWaiting();
				return recorded;
			}
		}
		return task;
	}

	private boolean hasProcessor() {
		return this.beanFactory.getBeanNamesForType(RecordedTaskProcessor.class, true, false).length > 0;
	}

	/**
	 * Register the jobs of beans that were added. Once it is settled what to schedule on:
	 * the records need beans of their own.
	 */
	void registerWaiting() {
		List<ScheduledBean> known;
		ScheduledTaskRegistrar present;
		synchronized (this) {
			present = this.registrar;
			known = (present != null) ? List.copyOf(this.waiting) : List.of();
			this.waiting.removeAll(known);
		}
		if (present != null) {
			known.forEach((bean) -> register(bean, present));
		}
	}

	private void register(ScheduledBean bean, ScheduledTaskRegistrar present) {
		RecordedMethod method = bean.method();
		JobSettings settings = this.settings.get();
		if (settings == null) {
			logger.warn(
					"Runs of job '{}' are not recorded, since there is no JobRuns bean of this library: a fire "
							+ "time can be started twice around a change of leader, and is not caught up",
					method.key());
			return;
		}
		EmbeddedValueResolver values = new EmbeddedValueResolver(this.beanFactory);
		Job job = method.job(values, settings.startingDeadlines());
		if (job == null) {
			return;
		}
		if (!settings.hasStore()) {
			throw method.method()
				.invalid("there is no store that its runs could be recorded in",
						"Declare a RecordStores bean in place of the LeaseStore, or say record = NEVER, where a fire time may be "
								+ "started twice, or missed, around a change of leader");
		}
		if (!hasProcessor()) {
			throw method.method()
				.invalid("scheduled calls can't be told from others, since '%s' is not the bean of Spring"
					.formatted(RecordedTaskProcessor.NAME), "Remove that bean, or say record = NEVER");
		}
		ScheduledBean other = this.registered.putIfAbsent(method.key(), bean);
		if (other != null && other.isSameAs(bean)) {
			// Another instance of a bean that is no singleton
			return;
		}
		if (other != null) {
			throw clash(bean, other);
		}
		this.jobs = settings.jobs();
		try {
			settings.jobs()
				.register(job, isSingleton(bean.name())
						? launcher(method, present, method.schedule().initialDelay(values)) : null);
		}
		catch (IllegalArgumentException ex) {
			this.registered.remove(method.key());
			throw method.method().invalidAttribute(String.valueOf(ex.getMessage()), "Change job");
		}
	}

	private static InvalidLeaderOnlyException clash(ScheduledBean bean, ScheduledBean other) {
		LeaderOnlyMethod method = bean.method().method();
		String place = other.method().method().place();
		boolean same = place.equals(method.place());
		return method.invalidAttribute(
				"bean '%s' would record its runs as job '%s', and so does bean '%s' those of %s".formatted(bean.name(),
						bean.method().key(), other.name(), same ? "the same method" : place),
				same ? "Give each bean a class of its own, whose method has a job name of its own"
						: "Give one of the two methods another name by @LeaderOnly(job = \"…\")");
	}

	private boolean isSingleton(String beanName) {
		return !this.beanFactory.containsBean(beanName) || this.beanFactory.isSingleton(beanName);
	}

	/** On the scheduler that starts all other runs, and as it starts them. */
	private static RunLauncher launcher(RecordedMethod method, ScheduledTaskRegistrar registrar,
			Duration initialDelay) {
		Instant earliest = scheduler(registrar).getClock().instant().plus(initialDelay);
		return (run) -> {
			Instant now = scheduler(registrar).getClock().instant();
			boolean early = run.cause() != Cause.TRIGGERED && earliest.isAfter(now);
			return scheduler(registrar).schedule(method.launched(run), early ? earliest : now);
		};
	}

	private static TaskScheduler scheduler(ScheduledTaskRegistrar registrar) {
		return Objects.requireNonNull(registrar.getScheduler());
	}

	@Nullable RecordedRun begin(JobKey job, PlannedRun planned, Leadership leadership) {
		return Objects.requireNonNull(this.jobs).begin(job, planned, leadership).run();
	}

	/** A call by a scheduler has returned. */
	void returned(JobKey job, boolean arrived, boolean moved) {
		RecordedJobs present = this.jobs;
		if (present != null) {
			present.returned(job, arrived, moved);
		}
	}

	/** The jobs may outlive this context, and this context may be made again. */
	@Override
	public void destroy() {
		RecordedJobs present = this.jobs;
		if (present != null) {
			this.registered.keySet().forEach(present::unregister);
		}
	}

	private record ScheduledBean(RecordedMethod method, String name) {

		boolean isSameAs(ScheduledBean other) {
			return this.name.equals(other.name) && this.method.method().place().equals(other.method.method().place());
		}

	}

}
