package io.github.leaderelection.store;

import java.util.Locale;
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

	private static final Pattern PARAMETER = Pattern.compile("[?&;#]([^=?&;#]*)=");

	private static final Pattern ENCODED = Pattern.compile("%([0-9A-Fa-f]{2})");

	private static final Pattern SECRET = Pattern.compile("pass|pwd|secret|token|key|cred|auth|sig|session");

	private MaskedAddress() {
	}

	/**
	 * Return the address without all that is before its last at sign, and without the
	 * values of parameters whose names tell of a secret.
	 * @param address a URL, or less
	 * @return the address as it may be shown
	 */
	public static String of(String address) {
		return withoutSecrets(withoutUser(address));
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

	private static String withoutSecrets(String address) {
		StringBuilder masked = new StringBuilder();
		Matcher parameter = PARAMETER.matcher(address);
		int done = 0;
		int from = 0;
		while (parameter.find(from)) {
			// The sign that separates this one from the next may be this one's last.
			from = parameter.end() - 1;
			if (isSecret(parameter.group(1))) {
				masked.append(address, done, parameter.end()).append(MASK);
				int end = address.indexOf('&', parameter.end());
				done = (end < 0) ? address.length() : end;
				from = done;
			}
		}
		return masked.append(address, done, address.length()).toString();
	}

	private static boolean isSecret(String parameter) {
		String name = ENCODED.matcher(parameter)
			.replaceAll((code) -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(code.group(1), 16))));
		return SECRET.matcher(name.toLowerCase(Locale.ROOT)).find();
	}

}
