package io.github.leaderelection.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Stands in for a failure whose message, or that of one of its causes, is not fit for a
 * log: servers quote what is stored.
 */
final class PrintableFailure extends RuntimeException {

	/** Of a whole sentence, or of what a driver says. */
	static final int MAX_LENGTH = 4000;

	private static final long serialVersionUID = 1L;

	private PrintableFailure(String message) {
		super(message);
	}

	/**
	 * Return the failure as it is if it can be logged as it is, else what it says, and
	 * its causes, in one line.
	 */
	static @Nullable Throwable of(@Nullable Throwable failure) {
		List<Throwable> all = new ArrayList<>();
		collect(failure, all);
		if (failure == null || all.stream().map(Throwable::toString).allMatch(PrintableFailure::isPrintable)) {
			return failure;
		}
		PrintableFailure printable = new PrintableFailure(StoredText
			.printable(all.stream().map(Throwable::toString).collect(Collectors.joining(", from ")), MAX_LENGTH));
		printable.setStackTrace(all.get(all.size() - 1).getStackTrace());
		return printable;
	}

	/** Collect causes too, of which there may be circles. */
	private static void collect(@Nullable Throwable failure, List<Throwable> all) {
		if (failure != null && all.stream().noneMatch((each) -> each == failure)) {
			all.add(failure);
			List.of(failure.getSuppressed()).forEach((each) -> collect(each, all));
			collect(failure.getCause(), all);
		}
	}

	private static boolean isPrintable(String text) {
		return text.length() <= MAX_LENGTH && StoredText.isPrintable(text);
	}

	// What is in its place has said by itself what it is.
	@SuppressWarnings("OverrideThrowableToString")
	@Override
	public String toString() {
		return String.valueOf(getMessage());
	}

}
