package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The loopback network of a network namespace. It tells processes apart by their group
 * ids: each connection is marked with the group of the process that opened it.
 * Connections of the test itself have no mark, and are never disturbed.
 */
final class Network {

	/**
	 * Mark the connections that processes of a group open.
	 */
	void add(int group) {
		run(List.of("iptables", "--wait", "-t", "mangle", "-A", "OUTPUT", "-p", "tcp", "-m", "owner", "--gid-owner",
				"" + group, "-m", "conntrack", "--ctdir", "ORIGINAL", "-j", "CONNMARK", "--set-mark", "" + group));
	}

	/**
	 * Return the command prefix that starts a program in a group.
	 */
	static List<String> startIn(int group) {
		return List.of("setpriv", "--regid=" + group, "--clear-groups");
	}

	/**
	 * Cut the connections that processes of a group have opened.
	 */
	Cut cutOff(int group, Loss loss) {
		return cut(loss, List.of(openedBy(group)));
	}

	/**
	 * Drop what processes of a group send on connections that they opened, but not the
	 * answers.
	 */
	Cut loseRequests(int group) {
		return cut(Loss.DROPPED, List.of(openedBy(group) + " -m conntrack --ctdir ORIGINAL"));
	}

	/**
	 * Drop the answers to processes of a group, but not what they send.
	 */
	Cut loseReplies(int group) {
		return cut(Loss.DROPPED, List.of(openedBy(group) + " -m conntrack --ctdir REPLY"));
	}

	/**
	 * Drop one packet in four on the connections that processes of a group have opened.
	 */
	Cut loseSome(int group) {
		return cut(Loss.DROPPED, List.of(openedBy(group) + " -m statistic --mode random --probability 0.25"));
	}

	/**
	 * Cut a server off from everything except the test.
	 */
	Cut isolate(int group, int port, Loss loss) {
		return cut(loss, List.of(openedBy(group), "--dport " + port + " -m connmark ! --mark 0",
				"--sport " + port + " -m connmark ! --mark 0"));
	}

	/**
	 * Cut a server off from its peers.
	 */
	Cut separate(int group, int port, List<Integer> peers, Loss loss) {
		List<String> rules = new ArrayList<>(List.of(openedBy(group)));
		for (int peer : peers) {
			rules.add("--dport " + port + " " + openedBy(peer));
			rules.add("--sport " + port + " " + openedBy(peer));
		}
		return cut(loss, rules);
	}

	/**
	 * Slow all traffic down: the bandwidth is low, and packets queue.
	 */
	static Cut slowDown() {
		run(List.of("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "600kbit", "burst", "70000", "latency",
				"400ms"));
		return () -> run(List.of("tc", "qdisc", "del", "dev", "lo", "root"));
	}

	private static String openedBy(int group) {
		return "-m connmark --mark " + group;
	}

	private static Cut cut(Loss loss, List<String> matches) {
		List<String> rules = matches.stream().map((match) -> "-p tcp " + match + " " + loss.target).toList();
		rules.forEach((rule) -> filter("-A", rule));
		return () -> rules.forEach((rule) -> filter("-D", rule));
	}

	private static void filter(String action, String rule) {
		List<String> command = new ArrayList<>(List.of("iptables", "--wait", action, "OUTPUT"));
		command.addAll(List.of(rule.split(" ")));
		run(command);
	}

	/**
	 * Run a program, which must succeed.
	 */
	static void run(List<String> command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(String.join(" ", command) + ": " + output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What happens to packets on a connection that is cut.
	 */
	enum Loss {

		DROPPED("-j DROP"),

		// A reset must not be answered by a reset.
		RESET("! --tcp-flags RST RST -j REJECT --reject-with tcp-reset");

		private final String target;

		Loss(String target) {
			this.target = target;
		}

	}

	/**
	 * A cut that can be mended.
	 */
	interface Cut {

		void mend();

	}

}
