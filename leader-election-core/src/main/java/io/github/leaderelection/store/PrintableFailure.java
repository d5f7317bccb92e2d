package io.github.leaderelection.store;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Stands in for a failure whose message, or that of one of its causes, is not fit for a
 * log: servers quote what is stored.
 */
final class PrintableFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private PrintableFailure(Throwable failure, @Nullable Throwable cause) {
		super(StoredText.printable(String.valueOf(failure), LeaseStoreException.MAX_LENGTH), cause);
		setStackTrace(failure.getStackTrace());
	}

	/**
	 * Return the failure as it is if it can be logged as it is.
	 */
	static @Nullable Throwable of(@Nullable Throwable failure) {
		return isPrintable(failure, known()) ? failure : copy(failure, known());
	}

	private static boolean isPrintable(@Nullable Throwable failure, Set<Throwable> seen) {
		if (failure == null || !seen.add(failure)) {
			return true;
		}
		for (Throwable suppressed : failure.getSuppressed()) {
			if (!isPrintable(suppressed, seen)) {
				return false;
			}
		}
		String text = failure.toString();
		return text.length() <= LeaseStoreException.MAX_LENGTH && StoredText.isPrintable(text)
				&& isPrintable(failure.getCause(), seen);
	}

	private static @Nullable Throwable copy(@Nullable Throwable failure, Set<Throwable> seen) {
		if (failure == null || !seen.add(failure)) {
			return null;
		}
		PrintableFailure copy = new PrintableFailure(failure, copy(failure.getCause(), seen));
		for (Throwable suppressed : failure.getSuppressed()) {
			Throwable each = copy(suppressed, seen);
			if (each != null) {
				copy.addSuppressed(each);
			}
		}
		return copy;
	}

	private static Set<Throwable> known() {
		return Collections.newSetFromMap(new IdentityHashMap<>());
	}

	// What is in its place has said by itself what it is.
	@SuppressWarnings("OverrideThrowableToString")
	@Override
	public String toString() {
		return String.valueOf(getMessage());
	}

}
