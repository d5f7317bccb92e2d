package io.github.leaderelection.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes what could be credentials out of an address, well-formed or not. An address that
 * is shown with less than it could be is of use still; a password that is shown is not.
 */
public final class MaskedAddress {

	private static final String MASK = "******";

	// Gives nothing back: a long text must not need a deep stack.
	private static final Pattern SCHEME = Pattern.compile("^(?:[A-Za-z][A-Za-z0-9+.-]*+:)*+//");

	/**
	 * What is encoded in its name is taken for a secret. A name that has no value is left
	 * at once: a long text must not take long.
	 */
	private static final Pattern SECRET = Pattern.compile(
			"([?&;#](?=[^=?&;#]*+=)[^=?&;#]*(?:%|pass|pwd|secret|token|key|cred|auth|sig|session)[^=?&;#]*=)[^&]*",
			Pattern.CASE_INSENSITIVE);

	private MaskedAddress() {
	}

	/**
	 * Return the address without all that is before its last at sign, and without the
	 * values of parameters whose names tell of a secret.
	 * @param address a URL, or less
	 * @return the address as it may be shown
	 */
	public static String of(String address) {
		return SECRET.matcher(withoutUser(address)).replaceAll("$1" + MASK);
	}

	/**
	 * Only the last at sign is certain to end a password: one that was not encoded, as it
	 * should have been, may contain all that ends it elsewhere.
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

}
