package io.github.leaderelection.spring;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.job.Timetable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the timetables of {@link ScheduledDeclaration}.
 */
class ScheduledDeclarationTests {

	/** The job would begin anew with any other. */
	@ParameterizedTest
	@CsvSource({ "0 0 3 * * *,UTC", "0 0 3 * * ?,UTC", "' 0  0 3 * * *\t',UTC", "0 0 3 * * *,Etc/UTC",
			"0 0 3 * * *,GMT", "0 0 3 * * *,Etc/Zulu" })
	void timetablesThatAreTheSameHaveOneText(String cron, String zone) {
		assertThat(timetable(cron, zone)).hasToString("0 0 3 * * * UTC");
	}

	@ParameterizedTest
	@CsvSource({ "@daily,Europe/Berlin,0 0 0 * * * Europe/Berlin",
			"0 0 3 ? * mon-fri,Etc/GMT-1,0 0 3 * * MON-FRI +01:00" })
	void timetableNamesWhatItMeans(String cron, String zone, String text) {
		assertThat(timetable(cron, zone)).hasToString(text);
	}

	/** The page on scheduled jobs says so. */
	@Test
	void timeThatIsSkippedInSpringDoesNotComeAndOneThatIsRepeatedInAutumnComesTwice() {
		Timetable halfPastTwo = timetable("0 30 2 * * *", "Europe/Berlin");
		assertThat(count(halfPastTwo, "2026-03-29")).isZero();
		assertThat(count(halfPastTwo, "2026-10-24")).isOne();
		assertThat(count(halfPastTwo, "2026-10-25")).isEqualTo(2);
		assertThat(count(timetable("0 0 * * * *", "Europe/Berlin"), "2026-10-25")).isEqualTo(24);
	}

	private static int count(Timetable timetable, String day) {
		Instant midnight = Instant.parse(day + "T00:00:00Z");
		return timetable.count(midnight, midnight.plusSeconds(86_400));
	}

	private static Timetable timetable(String cron, String zone) {
		Scheduled annotation = AnnotationUtils.synthesizeAnnotation(Map.of("cron", cron, "zone", zone), Scheduled.class,
				null);
		return new ScheduledDeclaration(ScheduledDeclarationTests.class.getDeclaredMethods()[0], List.of(annotation))
			.timetable((text) -> text);
	}

}
