package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Secrets in files that only this user can read: the key by which members of a replica
 * set authenticate each other where clients must authenticate, or a client's password.
 */
final class KeyFile {

	private KeyFile() {
	}

	/**
	 * Create a file with a new secret that only this user can read, as {@code mongod}
	 * demands. It is removed after this JVM ends.
	 * @return the file
	 */
	static Path create() {
		return create(TemporaryDirectories.create().resolve("key"));
	}

	/**
	 * Create a file with a new secret that only this user can read, as {@code mongod}
	 * demands. The secret needs no escape in a URI.
	 * @param file the file, which must not exist
	 * @return the file
	 */
	static Path create(Path file) {
		byte[] secret = new byte[96];
		new SecureRandom().nextBytes(secret);
		try {
			Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			// A key file may contain only Base64 characters. Hex digits are among them.
			return Files.writeString(file, HexFormat.of().formatHex(secret));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
