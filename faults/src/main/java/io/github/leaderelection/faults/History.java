package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Everything that was written down in a run.
 *
 * @param lives what the candidates have written
 * @param faults the injected faults
 * @param stored the terms that the database has recorded, in their order
 * @param majority when the database could record changes
 */
record History(List<Life> lives, List<FaultRecord> faults, List<StoredTerm> stored, Majority majority) {

	static final String EXTENSION = ".history";

	static final String FAULTS = "faults.log";

	static final String MAJORITY = "majority.log";

	static History read(Path directory, List<StoredTerm> stored) {
		try (Stream<Path> files = Files.list(directory)) {
			List<Life> lives = files.filter((file) -> file.toString().endsWith(EXTENSION))
				.sorted()
				.map(History::life)
				.toList();
			return new History(lives,
					Files.readAllLines(directory.resolve(FAULTS)).stream().map(FaultRecord::parse).toList(), stored,
					Majority.parse(Files.readAllLines(directory.resolve(MAJORITY))));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Life life(Path file) {
		try {
			return Life.parse(file.getFileName().toString().replace(EXTENSION, ""), Files.readAllLines(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the terms of an election that were ever held, ordered by number.
	 */
	List<TermHistory> held(String election) {
		return terms().stream().filter((term) -> term.election().equals(election) && term.wasHeld()).toList();
	}

	/**
	 * Return all terms, ordered by number.
	 */
	List<TermHistory> terms() {
		List<TermHistory> terms = new ArrayList<>();
		this.lives.forEach((life) -> terms.addAll(life.terms()));
		terms.sort(Comparator.comparingLong(TermHistory::term));
		return terms;
	}

	List<String> elections() {
		return terms().stream().map(TermHistory::election).distinct().sorted().toList();
	}

	/**
	 * Return whether no other fault overlapped with this one.
	 */
	boolean isAlone(FaultRecord fault) {
		return this.faults.stream().filter((other) -> other.round() == fault.round()).count() == 1;
	}

}
