package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests that violations in made-up histories are found, and mere oddities are not.
 */
class HistoryCheckerTests {

	private static final long SECOND = 1_000_000_000;

	private final List<Life> lives = new ArrayList<>();

	private final List<FaultRecord> faults = new ArrayList<>();

	private final List<StoredTerm> stored = new ArrayList<>();

	private Majority majority = Majority.ALWAYS;

	static Stream<Arguments> histories() throws IOException {
		try (InputStream file = HistoryCheckerTests.class.getResourceAsStream("histories.txt")) {
			return Stream.of(new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n\n"))
				.skip(1)
				.map((history) -> history.strip().split("\n\t"))
				.map((lines) -> Arguments.of(lines[0], List.of(lines).subList(1, lines.length)));
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("histories")
	void historyIsJudgedCorrectly(String name, List<String> lines) {
		for (String line : lines.subList(0, lines.size() - 1)) {
			String what = line.substring(0, line.indexOf(": "));
			String[] parts = line.substring(what.length() + 2).split(" \\| ");
			String[] words = parts[0].split(" ");
			switch (what) {
				case "recorded" -> stored(Long.parseLong(words[0]), words[1], words.length > 2);
				case "held" -> heldInSeconds(words[0], Long.parseLong(words[1]), second(words[2]), second(words[3]));
				case "crash" -> crashAt(second(words[0]));
				case "paused" -> fault(1, FaultKind.ALL_PAUSED, "all", second(words[0]), second(words[1]));
				case "no majority" -> noMajority(second(words[0]), second(words[1]));
				default -> life(what, parts);
			}
		}
		String expected = lines.get(lines.size() - 1);
		if (expected.equals("fine")) {
			assertThat(violations()).isEmpty();
		}
		else {
			assertThat(violations()).singleElement().asString().startsWith(expected);
		}
	}

	@Test
	void termGrantedTwiceIsFound() {
		life("a-1", "11 held e 1 10", "20 held e 1 19");
		life("b-1", "32 held e 1 31", "40 held e 1 39");
		stored(1, "a-1", false);
		assertThat(violations()).anySatisfy((violation) -> assertThat(violation).startsWith("I2: term granted twice"));
	}

	@Test
	void callbacksOutOfOrderAreFound() {
		life("a-1", "elected e 1", "elected e 2");
		life("b-1", "defeated e 3 RESIGNED");
		life("c-1", "elected e 4", "defeated e 5 RESIGNED");
		life("d-1", "elected e 7", "defeated e 7 RESIGNED", "elected e 6");
		assertThat(violations()).hasSize(4)
			.allSatisfy((violation) -> assertThat(violation).startsWith("I3: callback out of order in "));
	}

	@Test
	void crashWithoutRecoveryIsFound() {
		crashAt(10);
		assertThat(violations()).hasSize(2).allSatisfy((violation) -> assertThat(violation).startsWith("I4: "));
	}

	@Test
	void slowRecoveryBeforeALossOfMajorityIsFound() {
		crashAt(10);
		noMajority(15.4, 18);
		heldInSeconds("b-1", 2, 18.1, 30);
		assertThat(violations()).anySatisfy(
				(violation) -> assertThat(violation).startsWith("I4: e had no leader for 5400 ms, 3300 allowed"));
	}

	@Test
	void failedOrSlowWritesMeanNoMajority() {
		long second = SECOND;
		this.majority = Majority.parse(List.of(probe(1, 1.2, true), probe(1.3, 2.3, false), probe(2.4, 3.4, false),
				probe(3.5, 3.6, true), probe(4, 4.6, true), probe(4.7, 4.8, true)));
		assertThat(this.majority.gaps()).containsExactly(new Majority.Gap(1_300_000_000L, 3_400_000_000L),
				new Majority.Gap(4 * second, 4_600_000_000L));
		assertThat(this.majority.share()).isEqualTo(1 - 2.7 / 3.8, within(1e-9));
		assertThat(this.majority.longestNanos(second, 5 * second)).isEqualTo(600_000_000L);
		assertThat(this.majority.longestNanos(2 * second, 3 * second)).isZero();
		assertThat(this.majority.longestNanos(5 * second, 8 * second)).isEqualTo(3 * second);
	}

	private static double second(String word) {
		return Double.parseDouble(word);
	}

	private static String probe(double sent, double ended, boolean answered) {
		return "%d %s %d".formatted(Math.round(ended * SECOND), answered ? "answered" : "silent",
				Math.round(sent * SECOND));
	}

	private void noMajority(double from, double to) {
		this.majority = new Majority(List.of(new Majority.Gap((long) (from * SECOND), (long) (to * SECOND))),
				100 * SECOND);
	}

	@Test
	void resignationIsMeasuredOnlyForItsOwnElection() {
		heldInSeconds("a-1", 1, 1, 10);
		heldInSeconds("b-1", 2, 11, 30);
		this.faults.add(new FaultRecord(1, FaultKind.LEADER_RESIGNS, "a", "e", 9 * SECOND, 9 * SECOND, 9 * SECOND));
		this.faults.add(new FaultRecord(2, FaultKind.LEADER_RESIGNS, "a", "f", 9 * SECOND, 9 * SECOND, 9 * SECOND));
		Healing healing = new Healing(new History(this.lives, this.faults, this.stored, this.majority), "e");
		assertThat(healing.afterHandover(this.faults.get(0))).hasValue(2 * SECOND);
		assertThat(healing.afterHandover(this.faults.get(1))).isEmpty();
	}

	private void crashAt(double second) {
		heldInSeconds("a-1", 1, 1, second);
		fault(1, FaultKind.LEADER_KILLED, "a", second, second + 6);
	}

	private void heldInSeconds(String life, long term, double from, double to) {
		long since = (long) (from * SECOND);
		long until = (long) (to * SECOND);
		life(life, "%d held e %d %d".formatted(since, term, since), "%d held e %d %d".formatted(until, term, until));
		stored(term, life, false);
	}

	private void fault(int round, FaultKind kind, String target, double begun, double healed) {
		this.faults.add(new FaultRecord(round, kind, target, FaultRecord.ALL, (long) (begun * SECOND),
				(long) (healed * SECOND), (long) (healed * SECOND)));
	}

	/** Add a life. Lines without a time get one. */
	private void life(String name, String... lines) {
		List<String> timed = new ArrayList<>(List.of("1 process " + name + " 3000"));
		for (String line : lines) {
			timed.add(Character.isDigit(line.charAt(0)) ? line : "1 " + line);
		}
		this.lives.add(Life.parse(name, timed));
	}

	private void stored(long term, String holder, boolean released) {
		this.stored.add(new StoredTerm("e", term, holder, released));
	}

	private List<String> violations() {
		return HistoryChecker.violations(new History(this.lives, this.faults, this.stored, this.majority));
	}

}
