package io.github.leaderelection.test;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the test classes whose elections are to be controlled: those with
 * {@link AutoConfigureLeadershipControl}, on themselves or any of their methods, and
 * their nested classes.
 */
class LeadershipControlContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return isControlled(testClass) ? new LeadershipControlContextCustomizer() : null;
	}

	private static boolean isControlled(Class<?> testClass) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureLeadershipControl.class)
				|| hasControlledMethod(testClass) || isNestedInControlled(testClass);
	}

	private static boolean hasControlledMethod(Class<?> testClass) {
		return Stream.of(ReflectionUtils.getAllDeclaredMethods(testClass))
			.map((method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY))
			.anyMatch((annotations) -> annotations.isPresent(AutoConfigureLeadershipControl.class));
	}

	private static boolean isNestedInControlled(Class<?> testClass) {
		Class<?> enclosing = testClass.getEnclosingClass();
		return enclosing != null && TestContextAnnotationUtils.searchEnclosingClass(testClass)
				&& isControlled(enclosing);
	}

}
