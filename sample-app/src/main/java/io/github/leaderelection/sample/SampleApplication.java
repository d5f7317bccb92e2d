package io.github.leaderelection.sample;

import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Starts one instance of the sample.
 */
@SpringBootApplication
@EnableScheduling
@EnableConfigurationProperties(SampleProperties.class)
public class SampleApplication {

	private static final Logger logger = LoggerFactory.getLogger(SampleApplication.class);

	public static void main(String[] args) {
		new SpringApplicationBuilder(SampleApplication.class).initializers(new DefaultDatabase()).run(args);
	}

	/**
	 * By default the driver waits half a minute for an unavailable MongoDB; jobs and the
	 * page should notice sooner. Leader election sets its own timeouts.
	 */
	@Bean
	MongoClientSettingsBuilderCustomizer giveUpSoon() {
		return (settings) -> settings.timeout(2, TimeUnit.SECONDS);
	}

	@EventListener
	void greet(ApplicationReadyEvent event) {
		String port = event.getApplicationContext().getEnvironment().getProperty("local.server.port");
		logger.info("See who leads at http://localhost:{}/", port);
	}

}
