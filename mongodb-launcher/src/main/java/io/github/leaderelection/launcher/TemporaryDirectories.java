package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/**
 * Directories for the data of servers. They are removed after this JVM ends, even if it
 * is killed: a small shell process waits until a pipe from this JVM closes, and then
 * removes them.
 */
final class TemporaryDirectories {

	private static final String REMOVE_AFTER_JVM = """
			trap '' INT HUP TERM
			cat >/dev/null
			tries=0
			# Servers may be writing still while they are being killed.
			until rm -rf "$1" 2>/dev/null || [ "$tries" -ge 30 ]; do
				tries=$((tries + 1))
				sleep 1
			done
			""";

	private static @Nullable Path root;

	// Kept, because garbage collection must not close the pipe to it.
	private static @Nullable Process remover;

	private TemporaryDirectories() {
	}

	static synchronized Path create() {
		try {
			if (root == null || remover == null || !remover.isAlive()) {
				Path created = Files.createTempDirectory("leader-election-mongod-");
				remover = new ProcessBuilder("sh", "-c", REMOVE_AFTER_JVM, "sh", created.toString())
					.redirectOutput(ProcessBuilder.Redirect.DISCARD)
					.redirectError(ProcessBuilder.Redirect.DISCARD)
					.start();
				root = created;
			}
			return Files.createTempDirectory(root, "node-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Remove a directory with everything in it.
	 * @param directory the directory, which need not exist
	 */
	static void remove(Path directory) {
		try {
			Files.walkFileTree(directory, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
					Files.deleteIfExists(file);
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
						throws IOException {
					Files.deleteIfExists(visited);
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (NoSuchFileException ex) {
			// It is already gone.
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
