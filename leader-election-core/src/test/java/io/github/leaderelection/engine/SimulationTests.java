package io.github.leaderelection.engine;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.github.leaderelection.engine.Simulation.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets several processes compete on many bad days, and checks that promises are kept, and
 * that breaking a rule is noticed. {@code -Dsimulation.seeds} sets the number of days,
 * {@code -Dsimulation.first} the first one.
 */
@Tag("busy")
class SimulationTests {

	private static final long SEEDS = Long.getLong("simulation.seeds", 2_000);

	private static final long FIRST = Long.getLong("simulation.first", 0);

	/** Days on which a flaw shows, if not on day 0. */
	private static final Map<Flaw, Long> SHOWN = Map.ofEntries(Map.entry(Flaw.NO_MARGIN, 15L),
			Map.entry(Flaw.DEADLINE_FROM_THE_ANSWER, 28L), Map.entry(Flaw.DEADLINE_FROM_THE_LAST_SENDING, 60L),
			Map.entry(Flaw.WATCHES_FOR_TOO_SHORT, 11L), Map.entry(Flaw.OWN_TTL_INSTEAD_OF_THE_HOLDERS, 3L),
			Map.entry(Flaw.MISSING_IS_ENDED, 2L), Map.entry(Flaw.TAKES_WHERE_NOTHING_IS, 52L),
			Map.entry(Flaw.TAKES_BY_ID_ALONE, 1L), Map.entry(Flaw.RELEASES_BY_ID_ALONE, 2L),
			Map.entry(Flaw.RELEASES_BY_HOLDER_ALONE, 8L), Map.entry(Flaw.SAME_TERM_FOR_ITS_OWN_LEASE, 14L),
			Map.entry(Flaw.BELIEVES_A_READ, 2L), Map.entry(Flaw.LOOK_FROM_THE_ANSWER, 386L),
			Map.entry(Flaw.MISSING_LEASE_IS_FREE, 4L), Map.entry(Flaw.TAKES_WHAT_IS_FROM_BEFORE, 1_041L),
			Map.entry(Flaw.REVISIONS_BEGIN_ANEW, 23_103L), Map.entry(Flaw.ACKNOWLEDGES_BEFORE_MAJORITY, 71L),
			Map.entry(Flaw.LOGS_BEFORE_IT_ACTS, 230L), Map.entry(Flaw.CLOCKS_BEYOND_THE_MARGIN, 29L),
			Map.entry(Flaw.EXPIRY_BY_WALL_CLOCK, 1L));

	private static final Logger ENGINE = (Logger) LoggerFactory.getLogger(ElectionEngine.class.getPackageName());

	private static final AppenderBase<ILoggingEvent> APPENDER = new AppenderBase<>() {

		@Override
		public void doAppend(ILoggingEvent event) {
			SimulationThread.pass(Surroundings.Source.LOG);
		}

		@Override
		protected void append(ILoggingEvent event) {
		}

	};

	private static Level level;

	/** Send the engine's log to an appender that keeps nothing, and may throw. */
	@BeforeAll
	static void divertLog() {
		level = ENGINE.getLevel();
		ENGINE.setLevel(Level.INFO);
		ENGINE.setAdditive(false);
		APPENDER.start();
		ENGINE.addAppender(APPENDER);
	}

	@AfterAll
	static void restore() {
		ENGINE.detachAppender(APPENDER);
		ENGINE.setAdditive(true);
		ENGINE.setLevel(level);
	}

	@Test
	void promisesAreKept() {
		AtomicLong steps = new AtomicLong();
		AtomicLong terms = new AtomicLong();
		Map<Simulation.Fault, Integer> faults = new TreeMap<>();
		Map<Surroundings.Source, Integer> thrown = new TreeMap<>();
		Outcome violation = LongStream.range(FIRST, FIRST + SEEDS).parallel().mapToObj((seed) -> {
			Outcome outcome = Simulation.run(seed, Flaw.NONE);
			steps.addAndGet(outcome.steps());
			terms.addAndGet(outcome.terms());
			synchronized (faults) {
				outcome.faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
				outcome.thrown().forEach((source, count) -> thrown.merge(source, count, Integer::sum));
			}
			return outcome;
		}).filter((outcome) -> outcome.violated() != null).findAny().orElse(null);
		assertThat(violation).isNull();
		// Not one of the engine's loggers, which are diverted.
		LoggerFactory.getLogger("simulation")
			.info("{} seeds from {}: {} steps, {} terms, faults {}, thrown by {}", SEEDS, FIRST, steps, terms, faults,
					thrown);
		if (SEEDS >= 100) {
			assertThat(faults.keySet()).isEqualTo(Set.of(Simulation.Fault.values()));
			assertThat(thrown.keySet()).isEqualTo(Set.of(Surroundings.Source.values()));
			assertThat(terms.get()).isGreaterThan(SEEDS * 10);
		}
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void flawIsNoticed(Flaw flaw) {
		DaySearch.requireShown(flaw, SHOWN.getOrDefault(flaw, 0L), 2_000,
				(day) -> Simulation.run(day, flaw).violated() == flaw.violates());
	}

	@Test
	void seedRepeatsTheSameDay() {
		assertThat(Simulation.run(7, Flaw.NO_MARGIN)).isEqualTo(Simulation.run(7, Flaw.NO_MARGIN));
		assertThat(Simulation.run(7, Flaw.NONE)).isEqualTo(Simulation.run(7, Flaw.NONE));
	}

}
