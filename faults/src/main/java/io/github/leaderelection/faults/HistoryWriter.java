package io.github.leaderelection.faults;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes one line per event to a file: the {@link System#nanoTime()}, which all processes
 * of a machine share, the name of the event, and its details. Each line is passed to the
 * kernel at once, so SIGKILL loses none. It does not use a channel, because an interrupt,
 * such as after a lost term, would close it.
 */
final class HistoryWriter implements AutoCloseable {

	private final OutputStream file;

	HistoryWriter(Path path) {
		try {
			this.file = new FileOutputStream(path.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Write that something happens now.
	 * @return the time that was written
	 */
	long write(String event, Object... details) {
		long now = System.nanoTime();
		write(now, event, details);
		return now;
	}

	synchronized void write(long nanos, String event, Object... details) {
		StringBuilder line = new StringBuilder().append(nanos).append(' ').append(event);
		for (Object detail : details) {
			line.append(' ').append(detail);
		}
		try {
			this.file.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

}
