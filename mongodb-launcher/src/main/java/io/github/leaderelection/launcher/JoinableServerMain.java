package io.github.leaderelection.launcher;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Prints the URI of the server that all processes of a user share: the one that the
 * environment variable {@code MONGODB_URI} names, or one that is joined or started in a
 * common directory. Progress is reported on standard error.
 */
@SuppressWarnings("checkstyle:RegexpSinglelineJava")
public final class JoinableServerMain {

	private JoinableServerMain() {
	}

	/**
	 * Print the URI and end. The server stays while the directory's pipe {@code users} is
	 * held open.
	 * @param args the common directory
	 */
	public static void main(String[] args) {
		if (args.length != 1) {
			System.err.println("One argument is needed: the directory that has the pipe 'users'");
			System.exit(2);
		}
		try {
			System.out.println(uri(Path.of(args[0])));
		}
		catch (IOException | RuntimeException ex) {
			System.err.println(ex.getMessage());
			System.exit(1);
		}
	}

	private static String uri(Path directory) throws IOException {
		String configured = System.getenv("MONGODB_URI");
		if (configured != null && !configured.isBlank()) {
			return configured;
		}
		return new JoinableServer(directory.toRealPath(), System.err::println).uri();
	}

}
