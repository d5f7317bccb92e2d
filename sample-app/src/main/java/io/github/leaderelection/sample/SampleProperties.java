package io.github.leaderelection.sample;

import java.time.Duration;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the sample's simulated jobs, and of its page.
 *
 * @param report the job that writes a report
 * @param invoices the job that sends invoices
 * @param hosts the names, without a port, under which the page may be requested besides
 * those of the loopback interface
 */
@ConfigurationProperties("sample")
record SampleProperties(Report report, Job invoices, @DefaultValue List<String> hosts) {

	/**
	 * The job whose runs are recorded.
	 *
	 * @param cron when it runs
	 * @param takes how long a run takes
	 */
	record Report(String cron, Duration takes) {

	}

	/**
	 * A job that each instance schedules on its own.
	 *
	 * @param every the pause from the end of a run to the start of the next
	 * @param takes how long a run takes
	 */
	record Job(Duration every, Duration takes) {

	}

}
