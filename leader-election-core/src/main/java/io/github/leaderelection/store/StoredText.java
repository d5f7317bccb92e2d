package io.github.leaderelection.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Makes text that others have stored fit to be logged and shown. Anybody who can write to
 * the database can write anything there: line breaks and escape sequences that forge
 * lines of a log, marks of text direction, megabytes. For people only: two texts that
 * differ may look the same, so nothing must be decided by what is shown.
 */
public final class StoredText {

	/** How many characters are shown at most. */
	public static final int MAX_LENGTH = 500;

	/**
	 * Characters that could make one line of a log look like two, or like another:
	 * control characters, line breaks and marks of text direction; also halves of
	 * surrogate pairs, which no store keeps as they are.
	 */
	public static final Pattern MISLEADING = Pattern
		.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]");

	/** Line breaks, and characters without a shape: controls, marks, halves of pairs. */
	private static final Pattern SHAPELESS = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private static final String MASK = "******";

	// Possessive: a long text must not need a deep stack.
	private static final Pattern SCHEME = Pattern.compile("^(?:[A-Za-z][A-Za-z0-9+.-]*+:)*+//");

	/**
	 * A parameter with an encoded character in its name counts as a secret. A name
	 * without a value is skipped at once: a long text must not take long.
	 */
	private static final Pattern SECRET = Pattern.compile(
			"([?&;#](?=[^=?&;#]*+=)[^=?&;#]*(?:%|pass|pwd|secret|token|key|cred|auth|sig|session)[^=?&;#]*=)[^&]*",
			Pattern.CASE_INSENSITIVE);

	private StoredText() {
	}

	/**
	 * Return the text with a question mark in place of each character that could make one
	 * line look like two, or like another, cut off if it is too long.
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

	/**
	 * Return an address, well-formed or not, with its user and password, and the values
	 * of parameters whose names suggest a secret, masked. All between the scheme and the
	 * last at sign counts as user and password: masking too much does less harm than
	 * showing a password.
	 * @param address a URL, or less
	 * @return the address as it may be shown
	 */
	public static String masked(String address) {
		return SECRET.matcher(withoutUser(address)).replaceAll("$1" + MASK);
	}

	/**
	 * Only the last at sign is certain to end a password: one that was not encoded, as it
	 * should have been, may contain any other delimiter.
	 */
	private static String withoutUser(String address) {
		int at = address.lastIndexOf('@');
		if (at < 0) {
			return address;
		}
		Matcher scheme = SCHEME.matcher(address);
		int begin = (scheme.find() && scheme.end() <= at) ? scheme.end() : 0;
		return address.substring(0, begin) + MASK + address.substring(at);
	}

	static String printable(String text, int most) {
		String shown = shortened(text, most);
		return isPlain(shown) ? shown : SHAPELESS.matcher(shown).replaceAll("?");
	}

	/** Return whether the text can be shown as it is, apart from its length. */
	static boolean isPrintable(String text) {
		return isPlain(text) || !SHAPELESS.matcher(text).find();
	}

	/** A fast path: most text is plain ASCII. */
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
