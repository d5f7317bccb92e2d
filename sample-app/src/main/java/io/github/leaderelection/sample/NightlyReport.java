package io.github.leaderelection.sample;

import java.time.Duration;

import io.github.leaderelection.LeaderOnly;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job of one long step. Every instance schedules it, and the leader runs it. A graceful
 * change of leader waits for it to finish; if leadership is lost abruptly, its thread is
 * interrupted. Its runs are recorded: each fire time is started once, and the next leader
 * catches up the last one that was missed.
 */
@Component
class NightlyReport {

	private final RunLog runs;

	private final Duration takes;

	NightlyReport(RunLog runs, SampleProperties properties) {
		this.runs = runs;
		this.takes = properties.report().takes();
	}

	@Scheduled(cron = "${sample.report.cron}")
	@LeaderOnly("nightly-report")
	void write() {
		this.runs.record("nightly report", (leadership) -> {
			Thread.sleep(this.takes.toMillis());
			return true;
		});
	}

}
