package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.PlannedRun.Launcher;
import io.github.leaderelection.job.RecordedJobs;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.Ordered;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Connects Spring's scheduling with the records of runs, in one application context:
 * registers the jobs, and launches runs that no scheduled call starts, such as catch-ups.
 * Registers nothing if scheduling is not enabled. Runs after all other configurers, which
 * may choose the scheduler.
 */
public final class JobScheduling implements SchedulingConfigurer, SmartInitializingSingleton, Ordered, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(JobScheduling.class);

	private final Supplier<@Nullable JobSettings> settings;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Map<JobKey, ScheduledBean> registered = new ConcurrentHashMap<>();

	// Guarded by this, which is not held while beans are created.

	private final List<ScheduledBean> waiting = new ArrayList<>();

	private @Nullable ScheduledTaskRegistrar registrar;

	/**
	 * Create an instance.
	 * @param settings supplies the settings of jobs, or {@code null} if runs are not
	 * recorded; first called when a method is to be registered
	 * @param beanFactory the bean factory of the context
	 */
	public JobScheduling(Supplier<@Nullable JobSettings> settings, ConfigurableListableBeanFactory beanFactory) {
		this.settings = settings;
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	/**
	 * Refuse a second job of the same name before any election begins. If nothing is
	 * scheduled, warn: no other message says why the methods do not run.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true, false).length == 0) {
			takeOver(null).forEach((bean) -> logger.warn(
					"{} is @Scheduled, but scheduling is not enabled in this application: add @EnableScheduling",
					bean.method().method().shortName()));
		}
		List<ScheduledBean> known = waiting();
		JobSettings present = known.isEmpty() ? null : this.settings.get();
		if (present != null && present.jobs() != null) {
			known.forEach(this::claim);
		}
	}

	private synchronized List<ScheduledBean> waiting() {
		return List.copyOf(this.waiting);
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar taskRegistrar) {
		takeOver(taskRegistrar).forEach(this::register);
	}

	private synchronized List<ScheduledBean> takeOver(@Nullable ScheduledTaskRegistrar taskRegistrar) {
		this.registrar = taskRegistrar;
		List<ScheduledBean> known = List.copyOf(this.waiting);
		this.waiting.clear();
		return known;
	}

	/**
	 * Add a bean that has methods whose scheduled runs are recorded.
	 * @param methods the methods
	 * @param bean the bean, with its gate
	 * @param beanName its name
	 */
	void add(Collection<RecordedMethod> methods, Object bean, String beanName) {
		for (RecordedMethod method : methods) {
			ScheduledBean scheduled = new ScheduledBean(method, bean, beanName);
			if (!isToWait(scheduled)) {
				register(scheduled);
			}
		}
	}

	private synchronized boolean isToWait(ScheduledBean bean) {
		return this.registrar == null && this.waiting.add(bean);
	}

	private void register(ScheduledBean bean) {
		RecordedMethod method = bean.method();
		JobSettings present = this.settings.get();
		RecordedJobs jobs = (present != null) ? present.jobs() : null;
		if (present == null || jobs == null) {
			logger.warn(
					"Runs of job '{}' are not recorded, since there is no JobRuns bean of this library: a fire "
							+ "time can be started twice around a change of leader, and is not caught up",
					method.key());
			return;
		}
		if (!claim(bean)) {
			// Another instance of a non-singleton bean
			return;
		}
		EmbeddedValueResolver values = new EmbeddedValueResolver(this.beanFactory);
		Job job = method.job(values, present.startingDeadlines());
		if (job == null) {
			return;
		}
		if (this.beanFactory.getBeanNamesForType(RecordedTaskProcessor.class, false, false).length == 0) {
			throw method.method()
				.invalid("scheduled calls can't be distinguished from others, since bean '%s' is not Spring's own"
					.formatted(RecordedTaskProcessor.NAME), "Remove that bean, or set record = NEVER");
		}
		method.register(job, jobs, isSingleton(bean.name()) ? launcher(bean, values) : null);
	}

	/**
	 * Claim the name of a job for a bean.
	 * @return whether it is this bean's, rather than that of another instance
	 */
	private boolean claim(ScheduledBean bean) {
		ScheduledBean owner = this.registered.computeIfAbsent(bean.method().key(), (key) -> bean);
		if (!owner.isSameAs(bean)) {
			throw clash(bean, owner);
		}
		return owner.bean() == bean.bean();
	}

	private static InvalidLeaderOnlyException clash(ScheduledBean bean, ScheduledBean other) {
		RecordedMethod method = bean.method();
		String place = other.method().method().place();
		boolean same = place.equals(method.method().place());
		return method.method()
			.invalidAttribute(
					"bean '%s' would record its runs as job '%s', which bean '%s' uses for %s".formatted(bean.name(),
							method.key(), other.name(), same ? "the same method" : place),
					same ? "Give each bean a class of its own, whose method has a job name of its own"
							: "Give one of the two methods another name with @LeaderOnly(job = \"…\")");
	}

	private boolean isSingleton(String beanName) {
		return !this.beanFactory.containsBean(beanName) || this.beanFactory.isSingleton(beanName);
	}

	private synchronized Launcher launcher(ScheduledBean bean, EmbeddedValueResolver values) {
		ScheduledTaskRegistrar present = Objects.requireNonNull(this.registrar);
		Instant earliest = schedulerOf(present).getClock()
			.instant()
			.plus(bean.method().schedule().initialDelay(values));
		return (run, done) -> launch(bean, run, done, schedulerOf(present), earliest);
	}

	private static TaskScheduler schedulerOf(ScheduledTaskRegistrar registrar) {
		return Objects.requireNonNull(registrar.getScheduler());
	}

	/** Start a run like a scheduled call, on the same scheduler. */
	private Future<?> launch(ScheduledBean bean, PlannedRun run, Runnable done, TaskScheduler scheduler,
			Instant earliest) {
		Object target = finished(bean);
		ScheduledDeclaration schedule = bean.method().schedule();
		Method call = AopUtils.selectInvocableMethod(schedule.method(), target.getClass());
		RecordedTask task = new RecordedTask(target, call, schedule.scheduler(), bean.method(), run, this::observations,
				done);
		Instant now = scheduler.getClock().instant();
		boolean early = run.cause() != Cause.TRIGGERED && earliest.isAfter(now);
		return scheduler.schedule(task, early ? earliest : now);
	}

	/** Return the registry that observes scheduled calls. */
	synchronized ObservationRegistry observations() {
		ObservationRegistry present = (this.registrar != null) ? this.registrar.getObservationRegistry() : null;
		return (present != null) ? present : ObservationRegistry.NOOP;
	}

	/**
	 * Return the bean as other post-processors have left it, which may wrap the gated
	 * bean.
	 */
	private Object finished(ScheduledBean bean) {
		Object present = this.beanFactory.getSingleton(bean.name());
		return (present != null && LeaderOnlyMethods.typesOf(present).equals(LeaderOnlyMethods.typesOf(bean.bean())))
				? present : bean.bean();
	}

	/**
	 * Unregister the jobs: {@code RecordedJobs} may outlive this context, which may be
	 * created again.
	 */
	@Override
	public void destroy() {
		this.registered.values().forEach((bean) -> bean.method().unregister());
	}

	private record ScheduledBean(RecordedMethod method, Object bean, String name) {

		boolean isSameAs(ScheduledBean other) {
			return this.name.equals(other.name)
					&& this.method.schedule().method().getName().equals(other.method.schedule().method().getName());
		}

	}

}
