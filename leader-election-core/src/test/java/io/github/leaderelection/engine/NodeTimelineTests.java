package io.github.leaderelection.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plays time lines of processes that stand in elections.
 */
@ExtendWith(LogCapture.class)
class NodeTimelineTests {

	@ParameterizedTest
	@MethodSource
	void timelineHolds(String timeline, CapturedLog log) {
		new NodeTimeline(log).play(timeline);
	}

	static List<Named<String>> timelineHolds() throws IOException {
		List<Named<String>> timelines = NodeTimeline
			.of(Path.of("src/test/resources/io/github/leaderelection/engine/timelines.md"));
		assertThat(timelines).hasSizeGreaterThan(35);
		return timelines;
	}

	@ParameterizedTest
	@ValueSource(strings = { "A leads mails", "A leads jobs in term 2", "A does not lead jobs", "A is told elected 1",
			"A is refused at jobs", "A can't resign jobs", "A has nobody to ask for others", "A is closed",
			"A has called: renew", "A has called nothing", "A is FOLLOWER in jobs", "A stands in nothing",
			"A has heard: elected jobs 1", "A logs nothing", "A logs WARN nothing", "A is paused in jobs",
			"the lease of jobs is vacant", "nobody has a session", "sessions are those of: B", "A dances" })
	void falseStatementIsDetected(String line, CapturedLog log) {
		NodeTimeline timeline = new NodeTimeline(log);
		timeline.play("""
				0 s       B joins others
				          A registers jobs, is told elected 1, joins others, and joins mails
				""");
		timeline.play("          B leads others");
		timeline.play("          A pauses in mails, and resumes in mails");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> timeline.play("          " + line));
	}

	@Test
	void unmentionedEventIsDetected(CapturedLog log) {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> new NodeTimeline(log).play("0 s       A registers jobs"))
			.withMessageContaining("what candidates of A are told");
	}

}
