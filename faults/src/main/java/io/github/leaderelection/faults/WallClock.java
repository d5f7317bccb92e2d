package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of one process, which can be set while it runs. The monotonic clock is
 * not changed.
 */
final class WallClock {

	private static final List<Path> LIBRARIES = Stream.of("x86_64-linux-gnu", "aarch64-linux-gnu", ".")
		.map((architecture) -> Path.of("/usr/lib", architecture, "faketime", "libfaketimeMT.so.1"))
		.toList();

	private final Path file;

	WallClock(Path file) {
		this.file = file;
		set("+0");
	}

	/**
	 * Return the library that shifts clocks, if this machine has it.
	 */
	static Optional<Path> library() {
		return LIBRARIES.stream().filter(Files::exists).findFirst();
	}

	/**
	 * Return the command prefix that starts a program with this clock.
	 */
	List<String> startWith() {
		return List.of("env", "LD_PRELOAD=" + library().orElseThrow(), "FAKETIME_TIMESTAMP_FILE=" + this.file,
				"FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
				// Otherwise, waits on the monotonic clock return at once.
				"FAKETIME_FORCE_MONOTONIC_FIX=0");
	}

	/**
	 * Set the clock, which takes effect within a second.
	 * @param shift how far it is off, such as {@code -1h}
	 */
	void set(String shift) {
		try {
			Path next = Files.writeString(this.file.resolveSibling(this.file.getFileName() + ".next"), shift + "\n");
			Files.move(next, this.file, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
