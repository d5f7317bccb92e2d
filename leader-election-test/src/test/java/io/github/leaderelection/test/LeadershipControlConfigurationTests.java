package io.github.leaderelection.test;

import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.fence.LeaderFence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeadershipControlConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeadershipControlConfigurationTests {

	/** Spring logs a message about beans that are created too early. */
	@Test
	void noBeanEscapesPostProcessing(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LeaderFenceAutoConfiguration.class))
			.withUserConfiguration(LeadershipControlConfiguration.class)
			.run((context) -> {
				assertThat(context.getBean(LeaderFence.class)).isSameAs(LeaderFence.NONE);
				assertThat(context).hasBean("leaderFenceGuardedManagers");
			});
		assertThat(output).doesNotContain("is not eligible for getting processed");
	}

}
