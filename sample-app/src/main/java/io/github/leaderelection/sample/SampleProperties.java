package io.github.leaderelection.sample;

import java.time.Duration;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the sample's jobs pretend to do, and where its page is.
 *
 * @param report the job that writes a report
 * @param invoices the job that sends invoices
 * @param hosts the names, without a port, by which the page may be asked for besides
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
	 * A job that each leader times for itself.
	 *
	 * @param every the pause from the end of a run to the start of the next
	 * @param takes how long a run takes
	 */
	record Job(Duration every, Duration takes) {

	}

}
