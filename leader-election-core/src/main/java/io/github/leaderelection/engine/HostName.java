package io.github.leaderelection.engine;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * Finds the name of this host. It only tells people where a candidate runs, so a name
 * service that is slow or broken must not hold up the start.
 */
final class HostName {

	static final String UNKNOWN = "unknown";

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private HostName() {
	}

	/**
	 * Return the name of this host.
	 * @return the name, or {@value #UNKNOWN}
	 */
	static String find() {
		return find(() -> InetAddress.getLocalHost().getHostName(), System.getenv("HOSTNAME"), PATIENCE);
	}

	/**
	 * Return what the lookup finds in time, or else the fallback, or else
	 * {@value #UNKNOWN}.
	 * @param lookup finds the name, or fails, or hangs
	 * @param fallback another source, if there is one
	 * @param patience how long to wait for the lookup
	 * @return the name
	 */
	static String find(Callable<String> lookup, @Nullable String fallback, Duration patience) {
		FutureTask<String> task = new FutureTask<>(lookup);
		Thread thread = new Thread(task, "leader-election-host-name");
		thread.setDaemon(true);
		thread.start();
		try {
			return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			task.cancel(true);
		}
		return (fallback != null && !fallback.isBlank()) ? fallback : UNKNOWN;
	}

}
