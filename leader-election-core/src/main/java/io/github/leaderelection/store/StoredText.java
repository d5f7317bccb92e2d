package io.github.leaderelection.store;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Makes text fit to be logged and shown that others have stored. Whoever can write to the
 * database can write anything there: line breaks and escape sequences that forge lines of
 * a log, marks of text direction, megabytes. For people only: two texts that differ may
 * look the same, so nothing must be decided by what is shown.
 */
public final class StoredText {

	/**
	 * The greatest length of what is shown, in characters.
	 */
	public static final int MAX_LENGTH = 500;

	/** Line breaks, and whatever has no shape of its own: controls, marks, halves. */
	private static final Pattern SHAPELESS = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private StoredText() {
	}

	/**
	 * Return the text with a question mark in place of each character that could make one
	 * line look like two, or like another, and cut off where it is too long.
	 * @param text the text
	 * @return the text, fit for one line
	 */
	public static String printable(String text) {
		return printable(text, MAX_LENGTH);
	}

	/**
	 * Return the text, if there is one, fit for one line.
	 * @param text the text or {@code null}
	 * @return the text, or {@code null} if there is none
	 */
	public static @Nullable String printableOrNull(@Nullable String text) {
		return (text != null) ? printable(text) : null;
	}

	static String printable(String text, int most) {
		String shown = shortened(text, most);
		return isPlain(shown) ? shown : SHAPELESS.matcher(shown).replaceAll("?");
	}

	/** Return whether the text can be shown as it is, but for its length. */
	static boolean isPrintable(String text) {
		return isPlain(text) || !SHAPELESS.matcher(text).find();
	}

	/** Most text is, and is shown again and again. */
	private static boolean isPlain(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
				return false;
			}
		}
		return true;
	}

	private static String shortened(String text, int most) {
		if (text.length() <= most) {
			return text;
		}
		boolean cutsPair = Character.isHighSurrogate(text.charAt(most - 1));
		return text.substring(0, cutsPair ? most - 1 : most) + "…";
	}

}
