package io.github.leaderelection.job;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import io.github.leaderelection.engine.DaySearch;
import io.github.leaderelection.engine.SilentLog;
import io.github.leaderelection.job.RunSimulation.Summary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets several processes run a scheduled job on many bad days, and checks that each fire
 * time is started once, and that breaking a rule is noticed. {@code -Dsimulation.seeds}
 * sets the number of days, {@code -Dsimulation.first} the first one.
 */
@Tag("busy")
@ExtendWith(SilentLog.class)
class RunSimulationTests {

	private static final long SEEDS = Long.getLong("simulation.seeds", 2_000);

	/** Days on which a flaw shows, if not on day 0. */
	private static final Map<RunFlaw, Long> SHOWN = Map.of(RunFlaw.NO_FENCE, 505L, RunFlaw.OWN_CLOCK_FOR_FIRE_TIME, 15L,
			RunFlaw.RECORD_NOT_LOOKED_AT, 120L, RunFlaw.RUN_OUTLIVES_ITS_TERM, 12L, RunFlaw.OWN_CLOCK_BELIEVED, 1L,
			RunFlaw.WITHDRAWN_WITHOUT_EFFECT, 9L);

	private static final long FIRST = Long.getLong("simulation.first", 0);

	@Test
	void promisesAreKept() {
		AtomicLong starts = new AtomicLong();
		AtomicLong caughtUp = new AtomicLong();
		Map<RunSimulation.Event, Integer> events = new TreeMap<>();
		Summary violation = LongStream.range(FIRST, FIRST + SEEDS).parallel().mapToObj((seed) -> {
			Summary summary = RunSimulation.run(seed, RunFlaw.NONE);
			starts.addAndGet(summary.starts());
			caughtUp.addAndGet(summary.caughtUp());
			synchronized (events) {
				summary.events().forEach((event, count) -> events.merge(event, count, Integer::sum));
			}
			return summary;
		}).filter((summary) -> summary.violated() != null).findAny().orElse(null);
		assertThat(violation).isNull();
		LoggerFactory.getLogger("simulation")
			.info("{} seeds from {}: {} fire times started, {} caught up, events {}", SEEDS, FIRST, starts, caughtUp,
					events);
		if (SEEDS >= 100) {
			assertThat(events.keySet()).isEqualTo(Set.of(RunSimulation.Event.values()));
			assertThat(starts.get()).isGreaterThan(SEEDS * 4);
			assertThat(caughtUp.get()).isGreaterThan(SEEDS / 2);
		}
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void flawIsNoticed(RunFlaw flaw) {
		DaySearch.requireShown(flaw, SHOWN.getOrDefault(flaw, 0L), 2_000,
				(day) -> RunSimulation.run(day, flaw).violated() == flaw.violates());
	}

	@Test
	void seedRepeatsTheSameDay() {
		assertThat(RunSimulation.run(7, RunFlaw.NONE)).isEqualTo(RunSimulation.run(7, RunFlaw.NONE));
	}

}
