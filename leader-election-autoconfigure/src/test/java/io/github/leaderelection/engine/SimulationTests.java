package io.github.leaderelection.engine;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.leaderelection.engine.Simulation.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets several processes compete on many bad days, and looks whether what is promised is
 * kept; and whether it is noticed when it is not. {@code -Dsimulation.seeds} sets the
 * number of days, {@code -Dsimulation.first} where to begin.
 */
class SimulationTests {

	private static final long SEEDS = Long.getLong("simulation.seeds", 2_000);

	private static final long FIRST = Long.getLong("simulation.first", 0);

	private static final Logger ENGINE = (Logger) LoggerFactory.getLogger(ElectionEngine.class.getPackageName());

	private static Level level;

	@BeforeAll
	static void silence() {
		level = ENGINE.getLevel();
		ENGINE.setLevel(Level.OFF);
		((Logger) LoggerFactory.getLogger(SimulationTests.class)).setLevel(Level.INFO);
	}

	@AfterAll
	static void restore() {
		ENGINE.setLevel(level);
	}

	@Test
	void promisesAreKept() {
		AtomicLong steps = new AtomicLong();
		AtomicLong terms = new AtomicLong();
		Map<Simulation.Fault, Integer> faults = new TreeMap<>();
		Outcome violation = LongStream.range(FIRST, FIRST + SEEDS).parallel().mapToObj((seed) -> {
			Outcome outcome = Simulation.run(seed, Flaw.NONE);
			steps.addAndGet(outcome.steps());
			terms.addAndGet(outcome.terms());
			synchronized (faults) {
				outcome.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
			}
			return outcome;
		}).filter((outcome) -> outcome.violated() != null).findAny().orElse(null);
		assertThat(violation).isNull();
		LoggerFactory.getLogger(getClass())
			.info("{} seeds from {}: {} steps, {} terms, faults {}", SEEDS, FIRST, steps, terms, faults);
		if (SEEDS >= 100) {
			assertThat(faults.keySet()).isEqualTo(Set.of(Simulation.Fault.values()));
			assertThat(terms.get()).isGreaterThan(SEEDS * 10);
		}
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void flawIsNoticed(Flaw flaw) {
		assertThat(LongStream.range(0, 2_000)
			.mapToObj((seed) -> Simulation.run(seed, flaw).violated())
			.anyMatch(flaw.violates()::equals)).as("%s is violated by %s", flaw.violates(), flaw).isTrue();
	}

	@Test
	void seedRepeatsTheSameDay() {
		assertThat(Simulation.run(7, Flaw.NO_MARGIN)).isEqualTo(Simulation.run(7, Flaw.NO_MARGIN));
		assertThat(Simulation.run(7, Flaw.NONE)).isEqualTo(Simulation.run(7, Flaw.NONE));
	}

}
