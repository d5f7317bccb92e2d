package io.github.leaderelection.store;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Stands in for a failure whose message, or that of one of its causes, is not fit for a
 * log: servers quote what is stored.
 */
final class PrintableFailure extends RuntimeException {

	/** Of a whole sentence, or of what a driver says. */
	static final int MAX_LENGTH = 4000;

	private static final long serialVersionUID = 1L;

	private PrintableFailure(Throwable failure, @Nullable Throwable cause) {
		super(StoredText.printable(String.valueOf(failure), MAX_LENGTH), cause);
		setStackTrace(failure.getStackTrace());
	}

	/**
	 * Return the failure as it is if it can be logged as it is.
	 */
	static @Nullable Throwable of(@Nullable Throwable failure) {
		Set<Throwable> all = Collections.newSetFromMap(new IdentityHashMap<>());
		collect(failure, all);
		return all.stream().allMatch(PrintableFailure::isPrintable) ? failure : copy(failure, all);
	}

	private static void collect(@Nullable Throwable failure, Set<Throwable> all) {
		if (failure != null && all.add(failure)) {
			collect(failure.getCause(), all);
			List.of(failure.getSuppressed()).forEach((each) -> collect(each, all));
		}
	}

	private static boolean isPrintable(Throwable failure) {
		String text = failure.toString();
		return text.length() <= MAX_LENGTH && StoredText.isPrintable(text);
	}

	/**
	 * Return a copy that can be logged.
	 * @param left what was not copied yet: there may be circles
	 */
	private static @Nullable Throwable copy(@Nullable Throwable failure, Set<Throwable> left) {
		if (failure == null || !left.remove(failure)) {
			return null;
		}
		PrintableFailure copy = new PrintableFailure(failure, copy(failure.getCause(), left));
		for (Throwable suppressed : failure.getSuppressed()) {
			Throwable each = copy(suppressed, left);
			if (each != null) {
				copy.addSuppressed(each);
			}
		}
		return copy;
	}

	// What is in its place has said by itself what it is.
	@SuppressWarnings("OverrideThrowableToString")
	@Override
	public String toString() {
		return String.valueOf(getMessage());
	}

}
