package io.github.leaderelection.engine;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.store.StoredText;

/**
 * The rules for election names.
 */
public final class ElectionNames {

	/**
	 * The greatest length of a name, in characters.
	 */
	public static final int MAX_LENGTH = 200;

	private static final Pattern BLANK = Pattern.compile("[\\p{Z}\\p{Cc}\\p{Cf}]*");

	private ElectionNames() {
	}

	/**
	 * Require a valid name: 1 to {@value #MAX_LENGTH} characters, not blank, without
	 * control characters, line breaks and marks of text direction. All other characters
	 * are taken literally.
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if the name is not valid; the message says why and
	 * what to do
	 */
	public static String requireValid(String name) {
		return requireValid("Election", name);
	}

	/**
	 * Require a valid name of something else that follows the same rules.
	 * @param kind the kind of thing that has the name, capitalized to begin a message
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if the name is not valid; the message says why and
	 * what to do
	 */
	public static String requireValid(String kind, String name) {
		if (BLANK.matcher(name).matches()) {
			throw new IllegalArgumentException("%s name '%s' is blank. Give the %s a name".formatted(kind,
					printable(name), kind.toLowerCase(Locale.ROOT)));
		}
		if (name.length() > MAX_LENGTH) {
			throw new IllegalArgumentException("%s name '%s…' has %d characters. Use at most %d".formatted(kind,
					printable(name.substring(0, 40)), name.length(), MAX_LENGTH));
		}
		Matcher forbidden = StoredText.MISLEADING.matcher(name);
		if (forbidden.find()) {
			throw new IllegalArgumentException(
					"%s name '%s' contains U+%04X, a control character, line break or mark of text direction. Remove it"
						.formatted(kind, printable(name), forbidden.group().codePointAt(0)));
		}
		return name;
	}

	/**
	 * Require that a name from an annotation contains no expression, since expressions
	 * are not evaluated.
	 * @param name the name, without placeholders
	 * @return the name
	 * @throws IllegalArgumentException if the name contains an expression
	 */
	public static String requireNoExpression(String name) {
		if (name.contains("#{")) {
			throw new IllegalArgumentException(
					"'%s' is an expression, which is not evaluated. ".formatted(printable(name))
							+ "Use a placeholder, as in ${name:default}");
		}
		return name;
	}

	/**
	 * Return the text with a question mark in place of each character that is not allowed
	 * in a name.
	 * @param text the text
	 * @return the text, fit for a message
	 */
	public static String printable(String text) {
		return StoredText.MISLEADING.matcher(text).replaceAll("?");
	}

}
