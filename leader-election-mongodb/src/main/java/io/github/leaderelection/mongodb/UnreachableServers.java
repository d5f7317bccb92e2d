package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketReadTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Explains why no server could be used. Whatever keeps the driver from connecting, it
 * waits for a server until its timeout, and gives the reason only in the text of its
 * exception. Of that text, only hosts, ports and the known obstacles below are repeated.
 */
final class UnreachableServers {

	private static final String NO_ANSWER = "no answer in time";

	/** Texts in the exceptions of the driver and their causes, and what they mean. */
	private static final Map<String, String> OBSTACLES = new LinkedHashMap<>();

	static {
		OBSTACLES.put("Connection refused", "connection refused by");
		OBSTACLES.put("UnknownHostException", "unknown host");
		OBSTACLES.put("NoRouteToHostException", "no route to");
		OBSTACLES.put("SSLHandshakeException", "TLS handshake failed with");
	}

	/** The beginning of the driver's description of a server, maybe with a scope id. */
	private static final Pattern SERVER = Pattern.compile("\\{address=([\\w.:%\\[\\]-]+), type=(\\w+)");

	private static final int MOST_SERVERS = 10;

	private UnreachableServers() {
	}

	/**
	 * Return the reason, for people.
	 * @param failure why a call could not be made, or was not answered
	 * @return a phrase, with hosts and ports where they are known
	 */
	static String reason(Throwable failure) {
		String text = texts(failure);
		List<Server> servers = servers(text);
		if (servers.isEmpty()) {
			String obstacle = obstacle(text);
			return (obstacle != null) ? obstacle + " the server" : isLost(failure) ? "connection lost" : NO_ANSWER;
		}
		List<String> reasons = new ArrayList<>();
		for (String obstacle : OBSTACLES.values()) {
			Set<String> addresses = new LinkedHashSet<>();
			servers.stream()
				.filter((server) -> obstacle.equals(obstacle(server.text())))
				.limit(MOST_SERVERS)
				.forEach((server) -> addresses.add(server.address()));
			if (!addresses.isEmpty()) {
				reasons.add(obstacle + " " + String.join(", ", addresses));
			}
		}
		if (servers.stream().anyMatch((server) -> !server.type().equals("UNKNOWN"))) {
			reasons.add(0, "no primary");
		}
		return reasons.isEmpty() ? NO_ANSWER : String.join("; ", reasons);
	}

	private static boolean isLost(Throwable failure) {
		return failure instanceof MongoSocketException && !(failure instanceof MongoSocketReadTimeoutException);
	}

	private static String texts(Throwable failure) {
		StringBuilder text = new StringBuilder();
		int depth = 0;
		for (Throwable each = failure; each != null && depth < MOST_SERVERS; each = each.getCause()) {
			text.append(each).append('\n');
			depth++;
		}
		return text.toString();
	}

	private static List<Server> servers(String text) {
		List<Server> servers = new ArrayList<>();
		for (String each : text.split("(?=\\{address=)", -1)) {
			Matcher matcher = SERVER.matcher(each);
			if (matcher.lookingAt()) {
				servers.add(new Server(matcher.group(1), matcher.group(2), each));
			}
		}
		return servers;
	}

	private static @Nullable String obstacle(String text) {
		return OBSTACLES.entrySet()
			.stream()
			.filter((obstacle) -> text.contains(obstacle.getKey()))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	/**
	 * A server as the driver describes it.
	 *
	 * @param address its host and port
	 * @param type its type, as far as it is known
	 * @param text the whole description
	 */
	private record Server(String address, String type, String text) {

	}

}
