package io.github.leaderelection.faults;

import java.util.List;
import java.util.stream.IntStream;

import io.github.leaderelection.faults.FaultSchedule.Planned;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FaultScheduleTests {

	private static final List<FaultKind> KINDS = List.of(FaultKind.values());

	@Test
	void everyKindOccursOnceBeforeAnyRepeats() {
		List<FaultKind> kinds = rounds(42, 1, 100).stream().flatMap(List::stream).map(Planned::kind).toList();
		assertThat(kinds.subList(0, KINDS.size())).containsExactlyInAnyOrderElementsOf(KINDS);
		assertThat(kinds.subList(KINDS.size(), 2 * KINDS.size())).containsExactlyInAnyOrderElementsOf(KINDS);
	}

	@Test
	void overlappingFaultsAffectDifferentSides() {
		List<List<Planned>> pairs = rounds(42, 1, 100).stream().filter((round) -> round.size() > 1).toList();
		assertThat(pairs).isNotEmpty()
			.allSatisfy((pair) -> assertThat(pair).hasSize(2)
				.extracting((planned) -> planned.kind().side())
				.doesNotHaveDuplicates());
	}

	@Test
	void seedDeterminesTheSchedule() {
		assertThat(rounds(1, 0.5, 20)).isEqualTo(rounds(1, 0.5, 20)).isNotEqualTo(rounds(2, 0.5, 20));
	}

	private static List<List<Planned>> rounds(long seed, double pairs, int number) {
		FaultSchedule schedule = new FaultSchedule(seed, KINDS, pairs);
		return IntStream.range(0, number).mapToObj((round) -> schedule.next()).toList();
	}

}
