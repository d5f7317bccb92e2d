package io.github.leaderelection.engine;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.engine.LockSimulation.Day;
import io.github.leaderelection.lock.LineFlaw;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets several processes use locks on many bad days. {@code -Dlocks.seeds} sets the
 * number of days, {@code -Dlocks.first} where to begin.
 */
@Tag("busy")
@ExtendWith(SilentLog.class)
class LockSimulationTests {

	private static final long SEEDS = Long.getLong("locks.seeds", 200);

	private static final long FIRST = Long.getLong("locks.first", 0);

	private static final Map<LineFlaw, Invariant> VIOLATED = Map.of(LineFlaw.SERVES_TWO, Invariant.I2,
			LineFlaw.KEEPS_THE_TERM, Invariant.I2, LineFlaw.GIVES_UP_ONCE, Invariant.I4, LineFlaw.GIVES_NOTHING_UP,
			Invariant.I4, LineFlaw.STAYS_WHEN_EMPTY, Invariant.I4, LineFlaw.FORGETS_WHO_WAITS, Invariant.I4,
			LineFlaw.REMOVES_WITHOUT_FLOOR, Invariant.I2, LineFlaw.GIVES_NO_MARGIN, Invariant.I5,
			LineFlaw.STAYS_WHILE_OPEN, Invariant.I4);

	/** Days on which a flaw shows, if not on day 0. */
	private static final Map<LineFlaw, Long> SHOWN = Map.of(LineFlaw.GIVES_UP_ONCE, 78L, LineFlaw.GIVES_NO_MARGIN, 13L);

	@Test
	void promisesAreKept() {
		AtomicLong steps = new AtomicLong();
		AtomicLong grants = new AtomicLong();
		Simulation.Outcome violation = LongStream.range(FIRST, FIRST + SEEDS).parallel().mapToObj((seed) -> {
			Day day = LockSimulation.run(seed, LineFlaw.NONE);
			steps.addAndGet(day.outcome().steps());
			grants.addAndGet(day.grants());
			return day.outcome();
		}).filter((outcome) -> outcome.violated() != null).findAny().orElse(null);
		assertThat(violation).isNull();
		// Not one of the engine's loggers, which are off.
		LoggerFactory.getLogger("simulation")
			.info("{} seeds of locks from {}: {} steps, {} locks acquired", SEEDS, FIRST, steps, grants);
		assertThat(grants.get()).isGreaterThan(SEEDS * 10);
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void flawIsNoticed(LineFlaw flaw) {
		DaySearch.requireShown(flaw, SHOWN.getOrDefault(flaw, 0L), 500,
				(day) -> LockSimulation.run(day, flaw).outcome().violated() == VIOLATED.get(flaw));
	}

	@Test
	void seedRepeatsTheSameDay() {
		assertThat(LockSimulation.run(7, LineFlaw.NONE)).isEqualTo(LockSimulation.run(7, LineFlaw.NONE));
	}

}
