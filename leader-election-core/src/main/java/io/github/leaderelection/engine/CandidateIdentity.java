package io.github.leaderelection.engine;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.leaderelection.store.CandidateRecord;
import org.jspecify.annotations.Nullable;

/**
 * Creates the identity of this process as a candidate. Each call creates another id: a
 * process that restarts must not be mistaken for its predecessor, and two application
 * contexts in one process are two candidates.
 */
public final class CandidateIdentity {

	private static final String UNNAMED_APPLICATION = "application";

	private static final String UNKNOWN_HOST = "unknown";

	private static final int MAX_PART_LENGTH = 64;

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final SecureRandom random = new SecureRandom();

	private CandidateIdentity() {
	}

	/**
	 * Return a new identity on this host, with the id
	 * {@code <application>@<host>:<pid>-<random>}. Waits up to a second for the name of
	 * the host.
	 * @param application the name of the application, if it has one
	 * @param version the version of the application, if known
	 * @param address where the process can be reached, if known
	 * @return the identity
	 */
	public static CandidateRecord create(@Nullable String application, @Nullable String version,
			@Nullable String address) {
		return create(application,
				hostName(() -> InetAddress.getLocalHost().getHostName(), System.getenv("HOSTNAME"), PATIENCE), version,
				address);
	}

	/**
	 * Return a new identity, with the id {@code <application>@<host>:<pid>-<random>}.
	 * @param application the name of the application, if it has one
	 * @param host the name of the host, if known
	 * @param version the version of the application, if known
	 * @param address where the process can be reached, if known
	 * @return the identity
	 */
	static CandidateRecord create(@Nullable String application, @Nullable String host, @Nullable String version,
			@Nullable String address) {
		String name = sanitize(application, UNNAMED_APPLICATION);
		String hostName = sanitize(host, UNKNOWN_HOST);
		long pid = ProcessHandle.current().pid();
		byte[] unique = new byte[6];
		random.nextBytes(unique);
		String id = "%s@%s:%d-%s".formatted(name, hostName, pid, HexFormat.of().formatHex(unique));
		return new CandidateRecord(id, name, hostName, trimToNull(version), trimToNull(address), Set.of(), null,
				Set.of());
	}

	/**
	 * Return the result of the lookup if it comes in time, or else the fallback. The name
	 * only tells people where a candidate runs, so a name service that is slow or broken
	 * must not hold up the start.
	 */
	static @Nullable String hostName(Callable<String> lookup, @Nullable String fallback, Duration patience) {
		FutureTask<String> task = new FutureTask<>(lookup);
		EngineThread.start("leader-election-host-name", task);
		try {
			return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			task.cancel(true);
		}
		return fallback;
	}

	/** Keep each part short, on one line, and without the separator {@code @}. */
	private static String sanitize(@Nullable String value, String fallback) {
		if (value == null || value.isBlank()) {
			return fallback;
		}
		String clean = value.strip().replaceAll("[\\p{C}\\p{Z}@]+", "-");
		if (clean.length() <= MAX_PART_LENGTH) {
			return clean;
		}
		boolean cutsPair = Character.isHighSurrogate(clean.charAt(MAX_PART_LENGTH - 1));
		return clean.substring(0, cutsPair ? MAX_PART_LENGTH - 1 : MAX_PART_LENGTH);
	}

	private static @Nullable String trimToNull(@Nullable String value) {
		return (value != null && !value.isBlank()) ? value.strip() : null;
	}

}
