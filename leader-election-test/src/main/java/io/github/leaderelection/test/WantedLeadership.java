package io.github.leaderelection.test;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * The leadership that the annotations of one test request; the nearest take precedence.
 */
final class WantedLeadership {

	private final UnaryOperator<String> names;

	private final Map<String, Boolean> byElection = new LinkedHashMap<>();

	/**
	 * Read the annotations.
	 * @param testClass the test class
	 * @param testMethod the test method
	 * @param names converts the value in an annotation to the name of an election
	 * @throws IllegalStateException if the annotations contradict each other
	 */
	WantedLeadership(Class<?> testClass, Method testMethod, UnaryOperator<String> names) {
		this.names = names;
		read(MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
			.withEnclosingClasses(TestContextAnnotationUtils::searchEnclosingClass)
			.from(testClass));
		read(MergedAnnotations.from(testMethod, SearchStrategy.TYPE_HIERARCHY));
	}

	/** Return whether to lead, by the name of each election in an annotation. */
	Map<String, Boolean> byElection() {
		return this.byElection;
	}

	private void read(MergedAnnotations annotations) {
		Map<Integer, Map<String, Boolean>> byDistance = new TreeMap<>(Comparator.reverseOrder());
		annotations.stream(WithLeadership.class).forEach((with) -> read(with, true, byDistance));
		annotations.stream(WithoutLeadership.class).forEach((without) -> read(without, false, byDistance));
		byDistance.values().forEach(this.byElection::putAll);
	}

	private void read(MergedAnnotation<? extends Annotation> annotation, boolean lead,
			Map<Integer, Map<String, Boolean>> byDistance) {
		Map<String, Boolean> level = byDistance.computeIfAbsent(annotation.getAggregateIndex(),
				(distance) -> new LinkedHashMap<>());
		for (String value : annotation.getStringArray(MergedAnnotation.VALUE)) {
			String election = this.names.apply(value);
			Boolean before = level.put(election, lead);
			if (before != null && before != lead) {
				throw new IllegalStateException(
						"%s has both @WithLeadership and @WithoutLeadership for election '%s'. Remove one of them"
							.formatted(annotation.getSource(), election));
			}
		}
	}

}
