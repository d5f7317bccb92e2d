package io.github.leaderelection.spring.bound;

import java.util.function.BiFunction;

import io.github.leaderelection.InvalidConfigurationException;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.ElectionNames;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the attributes of {@link LeaderOnly}: replaces placeholders, and applies the
 * default election.
 *
 * @param placeholders replaces placeholders, and throws {@link IllegalArgumentException}
 * if it can't
 * @param defaultElection the election of annotations that name none, or {@code null} or
 * blank if there is no default
 */
public record AnnotationValues(StringValueResolver placeholders, @Nullable String defaultElection) {

	/**
	 * Return the election of an annotation.
	 * @param annotation the annotation
	 * @param refusal creates the exception, from a reason and a remedy, if there is no
	 * election or its name is not valid
	 * @return a valid name
	 */
	public String election(LeaderOnly annotation,
			BiFunction<String, String, ? extends InvalidConfigurationException> refusal) {
		String said = annotation.value();
		if (!said.isEmpty()) {
			return requireValid(resolve("election name", said, refusal),
					"Change the annotation's value '" + ElectionNames.printable(said) + "'", refusal);
		}
		String name = this.defaultElection;
		if (!StringUtils.hasText(name)) {
			throw refusal.apply("it names no election and there is no default one",
					"Name the election in the annotation, or set leader-election.default-election "
							+ "or spring.application.name");
		}
		return requireValid(name, "Change leader-election.default-election", refusal);
	}

	private static String requireValid(String name, String remedy,
			BiFunction<String, String, ? extends InvalidConfigurationException> refusal) {
		try {
			return ElectionNames.requireNoExpression(ElectionNames.requireValid(name));
		}
		catch (IllegalArgumentException ex) {
			throw refusal.apply(String.valueOf(ex.getMessage()), remedy);
		}
	}

	/**
	 * Replace the placeholders in the value of an attribute.
	 * @param what a description of the value, for messages
	 * @param value the value
	 * @param refusal creates the exception, from a reason and a remedy, if a placeholder
	 * can't be replaced
	 * @return the value without placeholders
	 */
	public String resolve(String what, String value,
			BiFunction<String, String, ? extends InvalidConfigurationException> refusal) {
		try {
			String resolved = this.placeholders.resolveStringValue(value);
			return (resolved != null) ? resolved : "";
		}
		catch (IllegalArgumentException ex) {
			throw refusal.apply(
					ElectionNames.printable("%s '%s' can't be resolved: %s".formatted(what, value, ex.getMessage())),
					"Set the property, or give the placeholder a default as in ${name:default}");
		}
	}

}
