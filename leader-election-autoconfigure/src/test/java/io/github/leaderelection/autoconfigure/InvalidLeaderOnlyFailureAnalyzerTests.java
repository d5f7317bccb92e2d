package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderOnly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link InvalidLeaderOnlyFailureAnalyzer}, as people meet it.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidLeaderOnlyFailureAnalyzerTests {

	@Test
	void tellsWhatIsWrongAndWhatToDo(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--spring.main.banner-mode=off"));
		String separator = System.lineSeparator();
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Description:" + separator + separator
					+ "@LeaderOnly on io.github.leaderelection.autoconfigure.InvalidLeaderOnlyFailureAnalyzerTests$"
					+ "Jobs.count() can't be enforced: a skipped call has no int to return." + separator)
			.contains("Action:" + separator + separator + "Return void or Optional, or use otherwise = THROW."
					+ separator);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderOnlyAutoConfiguration.class)
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		@LeaderOnly("counts")
		public int count() {
			return 1;
		}

	}

}
