package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The secret by which members of a replica set know each other, where clients must
 * authenticate. The file is removed after this JVM.
 */
final class KeyFile {

	private KeyFile() {
	}

	/**
	 * Creates a file with a new secret that only this user can read, as {@code mongod}
	 * demands.
	 * @return the file
	 */
	static Path create() {
		byte[] secret = new byte[96];
		new SecureRandom().nextBytes(secret);
		try {
			Path file = Files.createFile(TemporaryDirectories.create().resolve("key"),
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			return Files.writeString(file, Base64.getEncoder().encodeToString(secret));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
