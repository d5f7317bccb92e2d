package io.github.leaderelection.engine;

/**
 * What makes a name valid for an election.
 */
public final class ElectionNames {

	/**
	 * The greatest length of a name, in characters.
	 */
	public static final int MAX_LENGTH = 200;

	private ElectionNames() {
	}

	/**
	 * Require a valid name: 1 to {@value #MAX_LENGTH} characters, not blank, without
	 * control characters.
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if the name is not valid; the message tells why
	 * and what to do
	 */
	public static String requireValid(String name) {
		if (name.isBlank()) {
			throw new IllegalArgumentException(
					"Election name '%s' is blank. Give the election a name".formatted(printable(name)));
		}
		if (name.length() > MAX_LENGTH) {
			throw new IllegalArgumentException("Election name '%s…' has %d characters. Use at most %d"
				.formatted(printable(name.substring(0, 40)), name.length(), MAX_LENGTH));
		}
		if (name.chars().anyMatch(Character::isISOControl)) {
			throw new IllegalArgumentException(
					"Election name '%s' contains a control character. Remove it".formatted(printable(name)));
		}
		return name;
	}

	private static String printable(String name) {
		return name.replaceAll("\\p{Cc}", "?");
	}

}
