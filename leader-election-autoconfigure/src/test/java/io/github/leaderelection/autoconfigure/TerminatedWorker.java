package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application whose only job never ends by itself, but asks each 100 ms whether to.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class TerminatedWorker {

	static final String ELECTION = "job";

	private static final Logger logger = LoggerFactory.getLogger(TerminatedWorker.class);

	@Bean
	Job job(LeaderElection elections) {
		return new Job(elections);
	}

	/**
	 * Runs until it is told to end.
	 * @param args properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(TerminatedWorker.class, args);
		say("started");
	}

	private static void say(String what) {
		logger.info("{} says: {}", System.nanoTime(), what);
	}

	static class Job {

		private final LeaderElection elections;

		Job(LeaderElection elections) {
			this.elections = elections;
		}

		@Scheduled(fixedDelay = 10)
		@LeaderOnly(ELECTION)
		void work() throws InterruptedException {
			Leadership leadership = this.elections.currentLeadership();
			say("begins " + leadership.term() + " virtual: " + isVirtual());
			while (!leadership.isEnding()) {
				Thread.sleep(100);
			}
			say("returns " + leadership.term() + " held: " + leadership.isHeld());
		}

		/** Only they have no name of their own group. */
		private static boolean isVirtual() {
			return Thread.currentThread().toString().startsWith("VirtualThread");
		}

	}

}
