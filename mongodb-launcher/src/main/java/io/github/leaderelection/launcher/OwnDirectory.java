package io.github.leaderelection.launcher;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Directories and files that only this user may change, because their content is run or
 * trusted.
 */
final class OwnDirectory {

	private static final Set<PosixFilePermission> OTHERS_WRITE = Set.of(PosixFilePermission.GROUP_WRITE,
			PosixFilePermission.OTHERS_WRITE);

	private static final int STICKY = 01000;

	private OwnDirectory() {
	}

	/**
	 * Create a directory that only this user can access, and its missing parents
	 * likewise. An existing directory is left as it is.
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
	 * Require that a directory or file belongs to this user, and that nobody else can
	 * write to it or replace it: no directory above it, or above the target of a link,
	 * may allow that. File systems without POSIX permissions are not checked.
	 * @param file the directory or file, which must exist
	 * @param remedy the alternative that the message suggests
	 * @throws IOException when another user could have changed it
	 */
	static void require(Path file, String remedy) throws IOException {
		if (!isPosix(file)) {
			return;
		}
		UserPrincipal self = self();
		PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
		requireOwner(file, attributes, attributes.owner().equals(self), remedy);
		requireMode(file, attributes, attributes.permissions().stream().noneMatch(OTHERS_WRITE::contains), remedy);
		for (Path path : List.of(file.toAbsolutePath().normalize(), file.toRealPath())) {
			for (Path above = path.getParent(); above != null; above = above.getParent()) {
				requireKept(above, self, remedy);
			}
		}
	}

	/** The owner of a directory can rename its entries, whoever owns those. */
	private static void requireKept(Path directory, UserPrincipal self, String remedy) throws IOException {
		PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class);
		Map<String, Object> unix = Files.readAttributes(directory, "unix:uid,mode");
		boolean isRoots = Integer.valueOf(0).equals(unix.get("uid"));
		requireOwner(directory, attributes, isRoots || attributes.owner().equals(self), remedy);
		boolean isSticky = unix.get("mode") instanceof Integer mode && (mode & STICKY) != 0;
		// A group with the name of its owner has no other member. Such groups go with
		// umask 002.
		boolean isOwnGroup = attributes.group().getName().equals(attributes.owner().getName());
		requireMode(directory, attributes,
				isSticky || attributes.permissions()
					.stream()
					.noneMatch((permission) -> permission == PosixFilePermission.OTHERS_WRITE
							|| (permission == PosixFilePermission.GROUP_WRITE && !isOwnGroup)),
				remedy);
	}

	private static void requireOwner(Path file, PosixFileAttributes attributes, boolean isTrusted, String remedy)
			throws IOException {
		if (!isTrusted) {
			throw new IOException("%s belongs to %s, who could have put anything there: remove it, or %s"
				.formatted(file, attributes.owner().getName(), remedy));
		}
	}

	private static void requireMode(Path file, PosixFileAttributes attributes, boolean isKept, String remedy)
			throws IOException {
		if (!isKept) {
			throw new IOException(
					"%s can be written to by others (%s): run 'chmod go-w %s' if nobody has changed it, or %s"
						.formatted(file, PosixFilePermissions.toString(attributes.permissions()), file, remedy));
		}
	}

	private static boolean isPosix(Path file) throws IOException {
		FileStore store = Files.getFileStore(file);
		return store.supportsFileAttributeView("posix");
	}

	/** The user may have no name, as in a container: take the owner of a new file. */
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
