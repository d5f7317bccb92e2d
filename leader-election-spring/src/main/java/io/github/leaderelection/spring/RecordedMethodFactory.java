package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.spring.bound.AnnotationValues;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Determines whether runs of a gated method are recorded, and refuses attributes for
 * recorded runs if they are not.
 */
final class RecordedMethodFactory {

	private static final Logger logger = LoggerFactory.getLogger(RecordedMethodFactory.class);

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final AnnotationValues values;

	RecordedMethodFactory(AnnotationValues values) {
		this.values = values;
	}

	/**
	 * Create the recorded method, if the runs of a method are recorded.
	 * @param method the method
	 * @param election its election
	 * @return the recorded method, or {@code null} if its runs are not recorded
	 * @throws InvalidLeaderOnlyException if runs can't be recorded as the annotation says
	 */
	@Nullable RecordedMethod create(LeaderOnlyMethod method, String election) {
		LeaderOnly annotation = method.annotation();
		requireSound(method);
		ScheduledDeclaration schedule = ScheduledDeclaration.of(method);
		if (schedule == null) {
			// An annotation on the class may be meant for other methods, which are
			// scheduled.
			refuseSettings(method, method.direct(), "it is not scheduled", "Remove them, or add @Scheduled");
			return null;
		}
		if (annotation.record() == Recording.NEVER) {
			refuseSettings(method, method.direct(), "its runs are not recorded under record = NEVER", "Remove them");
			return null;
		}
		if (annotation.record() == Recording.CRON && !schedule.hasCron()) {
			refuseSettings(method, method.direct(), "runs by fixedRate or fixedDelay are recorded on request only",
					"Add record = ALWAYS, or remove the others");
			return null;
		}
		String obstacle = obstacle(method);
		if (obstacle != null) {
			refuseSettings(method, method.direct() || annotation.record() == Recording.ALWAYS, obstacle,
					"Let the method return when its work is done, or remove them");
			if (this.warned.add(method.shortName())) {
				logger.warn("Runs of {} are not recorded, since {}: a fire time can be started twice around a change "
						+ "of leader, and is not caught up. Let the method return when its work is done, or set "
						+ "record = NEVER", method.shortName(), obstacle);
			}
			return null;
		}
		requireOneKind(method, schedule);
		return new RecordedMethod(method, schedule, new JobKey(election, name(method)), startingDeadline(method));
	}

	/**
	 * Require that a class has a scheduled method if its annotation has attributes for
	 * recorded runs.
	 * @param methods the gated methods of a class
	 * @throws InvalidLeaderOnlyException if it has none
	 */
	static void requireScheduled(Collection<LeaderOnlyMethod> methods) {
		List<LeaderOnlyMethod> meant = methods.stream()
			.filter((method) -> !method.direct() && hasSettings(method.annotation()))
			.toList();
		if (!meant.isEmpty() && meant.stream().allMatch((method) -> ScheduledDeclaration.of(method) == null)) {
			throw meant.get(0)
				.invalidAttribute(
						"its class sets startingDeadline, attempts or record = ALWAYS, which are for recorded runs, "
								+ "but none of its methods is scheduled",
						"Remove them, or add @Scheduled");
		}
	}

	private static boolean hasSettings(LeaderOnly annotation) {
		return !annotation.job().isEmpty() || !annotation.startingDeadline().isEmpty() || annotation.attempts() > 1
				|| annotation.record() == Recording.ALWAYS;
	}

	private static void requireSound(LeaderOnlyMethod method) {
		if (method.annotation().attempts() < 1) {
			throw method.invalidAttribute(
					"attempts is %d, but must be 1 or more".formatted(method.annotation().attempts()),
					"Use 1 for a single attempt");
		}
		if (!method.direct() && !method.annotation().job().isEmpty()) {
			throw method.invalidAttribute("the class names a job, which all of its methods would share",
					"Name the job on each method");
		}
	}

	/** Refuse attributes for recorded runs if they are meant for the method. */
	private static void refuseSettings(LeaderOnlyMethod method, boolean meant, String reason, String remedy) {
		if (meant && hasSettings(method.annotation())) {
			throw method.invalidAttribute(
					"job, startingDeadline, attempts and record = ALWAYS are for recorded runs, but " + reason, remedy);
		}
	}

	private static @Nullable String obstacle(LeaderOnlyMethod method) {
		if (ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.returnType().toClass()) != null) {
			return "it returns a publisher";
		}
		boolean async = AnnotatedElementUtils.hasAnnotation(method.type(), Async.class)
				|| method.isAny((each) -> AnnotatedElementUtils.hasAnnotation(each, Async.class)
						|| AnnotatedElementUtils.hasAnnotation(each.getDeclaringClass(), Async.class));
		return async ? "it is @Async" : null;
	}

	private static void requireOneKind(LeaderOnlyMethod method, ScheduledDeclaration schedule) {
		if (!schedule.isOneInterval() && !schedule.isCronOnly()) {
			throw method.invalidAttribute(
					"runs can be recorded for one fixedRate or fixedDelay, or for cron expressions alone",
					"Move the other schedules to another method, or set record = NEVER");
		}
		if (schedule.isOneInterval() && method.direct() && !method.annotation().startingDeadline().isEmpty()) {
			throw method.invalidAttribute("fixedRate and fixedDelay have no fire times, and so no startingDeadline",
					"Remove it");
		}
	}

	private String name(LeaderOnlyMethod method) {
		String said = method.annotation().job();
		String name = said.isEmpty() ? defaultName(method) : this.values.resolve("job", said, method::invalidAttribute);
		try {
			return ElectionNames.requireNoExpression(Job.requireValidName(name));
		}
		catch (IllegalArgumentException ex) {
			throw method.invalidAttribute(String.valueOf(ex.getMessage()), "Change job");
		}
	}

	private static String defaultName(LeaderOnlyMethod method) {
		String simpleName = method.type().getSimpleName();
		return (simpleName.isEmpty() ? ClassUtils.getShortName(method.type()) : simpleName) + "."
				+ method.method().getName();
	}

	private @Nullable Duration startingDeadline(LeaderOnlyMethod method) {
		String said = method.annotation().startingDeadline();
		if (said.isEmpty()) {
			return null;
		}
		String value = this.values.resolve("startingDeadline", said, method::invalidAttribute);
		Duration deadline = null;
		try {
			deadline = DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException ex) {
			// Reported below, like a duration out of range
		}
		if (deadline == null || !Job.isValidStartingDeadline(deadline)) {
			throw method.invalidAttribute(
					"startingDeadline '%s' is not a duration between 1 ms and 365 d".formatted(value),
					"Use a value such as 10m, or PT10M");
		}
		return deadline;
	}

}
