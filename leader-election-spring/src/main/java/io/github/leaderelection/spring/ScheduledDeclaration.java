package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.job.Timetable;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * The {@code @Scheduled} annotations of a method, found and read as Spring does.
 *
 * @param method the method that is annotated
 * @param annotations all its {@code @Scheduled} annotations
 */
record ScheduledDeclaration(Method method, List<Scheduled> annotations) {

	/**
	 * Find the annotations of a method.
	 * @param gated the method
	 * @return the annotations, or {@code null} if the method is not scheduled
	 */
	static @Nullable ScheduledDeclaration of(LeaderOnlyMethod gated) {
		// Spring ignores the annotations of an overridden method.
		Set<Scheduled> annotations = AnnotatedElementUtils.getMergedRepeatableAnnotations(gated.method(),
				Scheduled.class, Schedules.class);
		return annotations.isEmpty() ? null : new ScheduledDeclaration(gated.method(), List.copyOf(annotations));
	}

	boolean hasCron() {
		return this.annotations.stream().anyMatch(ScheduledDeclaration::isCron);
	}

	/** Return whether the method runs only once, some time after the start. */
	boolean isOnce() {
		return this.annotations.stream().noneMatch((each) -> isCron(each) || isInterval(each));
	}

	boolean isCronOnly() {
		return this.annotations.stream().allMatch(ScheduledDeclaration::isCron);
	}

	/** Return whether the method runs at one interval, and at no other time. */
	boolean isOneInterval() {
		return !hasCron() && this.annotations.size() == 1 && isInterval(this.annotations.get(0));
	}

	private static boolean isCron(Scheduled annotation) {
		return StringUtils.hasText(annotation.cron());
	}

	private static boolean isFixedDelay(Scheduled annotation) {
		return annotation.fixedDelay() >= 0 || StringUtils.hasText(annotation.fixedDelayString());
	}

	private static boolean isInterval(Scheduled annotation) {
		return isFixedDelay(annotation) || annotation.fixedRate() >= 0
				|| StringUtils.hasText(annotation.fixedRateString());
	}

	/** Return the qualifier of the scheduler, empty for the default one. */
	String scheduler() {
		return this.annotations.get(0).scheduler();
	}

	/**
	 * Return the timetable of the recorded runs.
	 * @param values resolves values in annotations
	 * @return the timetable, or {@code null} if there are no runs
	 */
	@Nullable Timetable timetable(StringValueResolver values) {
		if (!hasCron()) {
			return interval(this.annotations.get(0), values);
		}
		List<Timetable> timetables = this.annotations.stream()
			.map((annotation) -> cron(annotation, values))
			.filter(Objects::nonNull)
			.toList();
		return timetables.isEmpty() ? null : Timetable.union(timetables);
	}

	private static @Nullable Timetable cron(Scheduled annotation, StringValueResolver values) {
		String cron = resolve(annotation.cron(), values);
		if (!StringUtils.hasLength(cron) || Scheduled.CRON_DISABLED.equals(cron)) {
			return null;
		}
		String zoneName = resolve(annotation.zone(), values);
		ZoneId zone = StringUtils.hasText(zoneName) ? StringUtils.parseTimeZoneString(zoneName).toZoneId()
				: ZoneId.systemDefault();
		CronExpression expression = CronExpression.parse(cron);
		Timetable.Rule rule = (after) -> {
			var following = expression.next(after.atZone(zone));
			return (following != null) ? following.toInstant() : null;
		};
		return Timetable.of(text(expression) + " " + text(zone), rule);
	}

	/**
	 * Normalize the text of an expression: if the text of a job changes, fire times until
	 * then no longer count, so expressions that look the same must have the same text.
	 */
	private static String text(CronExpression expression) {
		return expression.toString().strip().replaceAll("\\s+", " ").replace('?', '*').toUpperCase(Locale.ROOT);
	}

	private static String text(ZoneId zone) {
		ZoneId normalized = zone.normalized();
		return normalized.equals(ZoneOffset.UTC) ? "UTC" : normalized.getId();
	}

	private static Timetable interval(Scheduled annotation, StringValueResolver values) {
		boolean fromEnd = isFixedDelay(annotation);
		Duration delay = fromEnd ? duration(annotation.fixedDelay(), annotation.fixedDelayString(), annotation, values)
				: duration(annotation.fixedRate(), annotation.fixedRateString(), annotation, values);
		return Timetable.every(delay, fromEnd);
	}

	/** Return the time after which the scheduler runs the method for the first time. */
	Duration initialDelay(StringValueResolver values) {
		if (hasCron()) {
			return Duration.ZERO;
		}
		Scheduled annotation = this.annotations.get(0);
		Duration delay = duration(annotation.initialDelay(), annotation.initialDelayString(), annotation, values);
		return delay.isNegative() ? Duration.ZERO : delay;
	}

	private static Duration duration(long value, String text, Scheduled annotation, StringValueResolver values) {
		DurationFormat.Unit unit = DurationFormat.Unit.fromChronoUnit(annotation.timeUnit().toChronoUnit());
		String resolved = (value < 0) ? resolve(text, values) : "";
		return StringUtils.hasLength(resolved) ? DurationFormatterUtils.detectAndParse(resolved, unit)
				: Duration.of(value, annotation.timeUnit().toChronoUnit());
	}

	private static String resolve(String text, StringValueResolver values) {
		String resolved = text.isEmpty() ? text : values.resolveStringValue(text);
		return (resolved != null) ? resolved : "";
	}

}
