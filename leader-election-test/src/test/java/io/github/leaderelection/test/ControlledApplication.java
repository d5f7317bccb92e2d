package io.github.leaderelection.test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * An application with a job and a candidate.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class ControlledApplication {

	@Bean
	Job job() {
		return new Job();
	}

	@Bean
	RecordingCandidate candidate() {
		return new RecordingCandidate();
	}

}
