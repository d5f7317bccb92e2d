package io.github.leaderelection.engine;

import java.util.Map;
import java.util.OptionalLong;
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
 * Lets several processes compete on many bad days, and looks whether what is promised is
 * kept; and whether it is noticed when it is not. {@code -Dsimulation.seeds} sets the
 * number of days, {@code -Dsimulation.first} where to begin.
 */
@Tag("busy")
class SimulationTests {

	private static final long BATCH = 20;

	private static final long SEEDS = Long.getLong("simulation.seeds", 2_000);

	private static final long FIRST = Long.getLong("simulation.first", 0);

	/**
	 * Days with which to begin where a flaw is not noticed on the first ones. When days
	 * change, and nothing is noticed there any more, this costs time and nothing else.
	 */
	private static final Map<Flaw, Long> KNOWN = Map.of(Flaw.NO_MARGIN, 20L, Flaw.ACKNOWLEDGES_BEFORE_MAJORITY, 140L,
			Flaw.LOOK_FROM_THE_ANSWER, 40L, Flaw.LOGS_BEFORE_IT_ACTS, 20L, Flaw.SAME_TERM_FOR_ITS_OWN_LEASE, 440L);

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

	/** Let the engine write to a log that keeps nothing, and may throw. */
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
		// Not below those of the engine.
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
		long known = KNOWN.getOrDefault(flaw, 0L) / BATCH * BATCH;
		OptionalLong noticed = LongStream
			.concat(LongStream.of(known), LongStream.range(0, 2_000 / BATCH).map((batch) -> batch * BATCH))
			.filter((first) -> isNoticed(flaw, first))
			.findFirst();
		assertThat(noticed).as("%s is violated by %s", flaw.violates(), flaw).isPresent();
		LoggerFactory.getLogger("simulation")
			.info("{} is noticed within {} days from {}", flaw, BATCH, noticed.getAsLong());
	}

	private static boolean isNoticed(Flaw flaw, long first) {
		return LongStream.range(first, first + BATCH)
			.parallel()
			.mapToObj((seed) -> Simulation.run(seed, flaw).violated())
			.anyMatch(flaw.violates()::equals);
	}

	@Test
	void seedRepeatsTheSameDay() {
		assertThat(Simulation.run(7, Flaw.NO_MARGIN)).isEqualTo(Simulation.run(7, Flaw.NO_MARGIN));
		assertThat(Simulation.run(7, Flaw.NONE)).isEqualTo(Simulation.run(7, Flaw.NONE));
	}

}
