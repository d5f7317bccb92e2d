package io.github.leaderelection.launcher;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * Directories and files that nobody but this user may change, because what is in them is
 * run or trusted.
 */
final class OwnDirectory {

	private static final Set<PosixFilePermission> OTHERS_WRITE = Set.of(PosixFilePermission.GROUP_WRITE,
			PosixFilePermission.OTHERS_WRITE);

	private OwnDirectory() {
	}

	/**
	 * Creates a directory, for this user alone, with the parents that are missing. One
	 * that exists is left as it is.
	 * @param directory the directory
	 * @throws IOException when it cannot be created
	 */
	static void create(Path directory) throws IOException {
		Path existing = directory.toAbsolutePath();
		while (existing.getParent() != null && !Files.exists(existing)) {
			existing = existing.getParent();
		}
		if (isPosix(existing)) {
			Files.createDirectories(directory,
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		}
		else {
			Files.createDirectories(directory);
		}
	}

	/**
	 * Fails unless a directory or file belongs to this user and nobody else can write to
	 * it. Where there are no such modes, nothing is known and nothing fails.
	 * @param file the directory or file, which must exist
	 * @param remedy what to do otherwise, other than to take it back
	 * @throws IOException when somebody else could have put something there
	 */
	static void require(Path file, String remedy) throws IOException {
		if (!isPosix(file)) {
			return;
		}
		PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
		if (!attributes.owner().equals(self())) {
			throw new IOException("%s belongs to %s, who could have put anything there: remove it, or %s"
				.formatted(file, attributes.owner().getName(), remedy));
		}
		if (attributes.permissions().stream().anyMatch(OTHERS_WRITE::contains)) {
			throw new IOException(
					"%s can be written to by others (%s): if nobody has, take that from them with 'chmod go-w %s', or %s"
						.formatted(file, PosixFilePermissions.toString(attributes.permissions()), file, remedy));
		}
	}

	private static boolean isPosix(Path file) throws IOException {
		FileStore store = Files.getFileStore(file);
		return store.supportsFileAttributeView("posix");
	}

	/** Names need not be known to the machine, as in a container: a new file tells. */
	private static UserPrincipal self() throws IOException {
		Path file = Files.createTempFile("leader-election-", null);
		try {
			return Files.getOwner(file);
		}
		finally {
			Files.delete(file);
		}
	}

}
