package io.github.leaderelection.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What the sample's jobs pretend to do.
 *
 * @param report the job that writes a report
 * @param invoices the job that sends invoices
 */
@ConfigurationProperties("sample")
record SampleProperties(Job report, Job invoices) {

	/**
	 * One job.
	 *
	 * @param every the pause from the end of a run to the start of the next
	 * @param takes how long a run takes
	 */
	record Job(Duration every, Duration takes) {

	}

}
