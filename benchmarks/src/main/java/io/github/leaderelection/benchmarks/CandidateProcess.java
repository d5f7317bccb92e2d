package io.github.leaderelection.benchmarks;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Runs candidates in a separate process, controlled through its standard input. It ends
 * when that does.
 */
final class CandidateProcess {

	private final Fleet fleet;

	private CandidateProcess(Fleet fleet) {
		this.fleet = fleet;
	}

	/**
	 * Follow the commands on standard input.
	 * @param args the URI of MongoDB or PostgreSQL, the database, the number of
	 * elections, and the time to live
	 * @throws IOException if standard input can't be read
	 */
	public static void main(String[] args) throws IOException {
		CandidateProcess process = new CandidateProcess(
				new Fleet(args[0], args[1], Integer.parseInt(args[2]), Duration.parse(args[3])));
		BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		String question;
		while ((question = questions.readLine()) != null) {
			answers.println(process.answer(List.of(question.split(" ", -1))));
		}
		// The database is dropped, so there is nothing to hand over.
		Runtime.getRuntime().halt(0);
	}

	private String answer(List<String> question) {
		switch (question.get(0)) {
			case "join" -> this.fleet.join(Integer.parseInt(question.get(1)));
			case "share" -> share(Integer.parseInt(question.get(1)), Integer.parseInt(question.get(2)),
					Integer.parseInt(question.get(3)));
			case "all" -> this.fleet.standInAll();
			case "leading" -> {
				return Long.toString(count((member, election) -> member.engine().isLeader(election)));
			}
			case "unseen" -> {
				return Long.toString(count((member, election) -> member.engine().leader(election).isEmpty()));
			}
			case "elected" -> {
				return Integer.toString(this.fleet.elected().size());
			}
			case "threads" -> {
				return Long.toString(threads());
			}
			case "heap" -> {
				return Long.toString(Heap.used());
			}
			case "commands" -> {
				return this.fleet.commands().count().format();
			}
			default -> throw new IllegalArgumentException(question.toString());
		}
		return "done";
	}

	/** Add candidates that each stand only in their share of the elections. */
	private void share(int from, int to, int all) {
		for (int candidate = from; candidate < to; candidate++) {
			int first = candidate;
			this.fleet.join(IntStream.range(0, this.fleet.elections().size())
				.filter((i) -> i % all == first)
				.mapToObj(this.fleet.elections()::get)
				.toList());
		}
	}

	private long count(Trait trait) {
		return this.fleet.members()
			.stream()
			.mapToLong((member) -> member.engine()
				.elections()
				.stream()
				.filter((election) -> trait.has(member, election))
				.count())
			.sum();
	}

	/** Return the number of threads that elections use. */
	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leader-election")
					|| thread.getName().startsWith(Member.CALLBACK))
			.count();
	}

	private interface Trait {

		boolean has(Member member, String election);

	}

}
