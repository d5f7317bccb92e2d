package io.github.leaderelection.job;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.LogCapture;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plays the time lines of the page on scheduled jobs, and further ones.
 */
@ExtendWith(LogCapture.class)
class JobTimelineTests {

	@ParameterizedTest
	@MethodSource
	void timelineHolds(String timeline, CapturedLog log) {
		new JobTimeline(log).play(timeline);
	}

	static List<Named<String>> timelineHolds() throws IOException {
		List<Named<String>> page = JobTimeline.of(Path.of("../docs/jobs.md"));
		assertThat(page).hasSizeGreaterThan(8);
		List<Named<String>> further = JobTimeline
			.of(Path.of("src/test/resources/io/github/leaderelection/job/timelines.md"));
		assertThat(further).hasSizeGreaterThan(40);
		return Stream.concat(page.stream(), further.stream()).toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "A runs 03:00 (catch-up)", "A runs 02:00", "A is called for 03:00 (already run)",
			"A has nothing to run", "A skips 03:00", "A reports 1 missed", "A states a failure: none",
			"A logs WARN nothing", "A is overdue by 1 s", "A dances", "the record shows 1 missed",
			"the record shows 03:00 succeeded", "the record covers 03:00", "the record is not there" })
	void falseStatementIsDetected(String line, CapturedLog log) {
		JobTimeline timeline = new JobTimeline(log);
		timeline.play("""
				02:59:00  A leads
				          the record shows no run
				03:00:00  A is not overdue
				""");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> timeline.play("          " + line));
	}

	@Test
	void unmentionedEventIsDetected(CapturedLog log) {
		JobTimeline timeline = new JobTimeline(log);
		timeline.play("""
				02:59:00  A leads
				03:00:00  A runs 03:00
				03:00:05  A crashes
				""");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> timeline.play("03:00:24  B leads"))
			.withMessageContaining("what B reports");
		JobTimeline other = new JobTimeline(log);
		other.play("""
				02:59:00  A leads
				02:59:59  A crashes
				""");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> other.play("03:00:18  B leads, and runs nothing"))
			.withMessageContaining("what B launches");
	}

}
