package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ForeignLeaderWarning}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForeignLeaderWarningTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final String WARNING = "is led by another application";

	private final ElectionEngine engine = ElectionEngine
		.builder(LeaseStore.forElections(new InMemoryRecordStores(), ""))
		.application("shop")
		.build();

	private final ForeignLeaderWarning warning = new ForeignLeaderWarning(() -> this.engine);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void otherApplicationCausesOneWarningPerElection(CapturedOutput output) {
		this.warning.onLeaderChanged("x", null, "bank@web-1:2-0");
		this.warning.onLeaderChanged("x", "bank@web-1:2-0", "bank@web-2:3-0");
		this.warning.onLeaderChanged("x", "bank@web-2:3-0", "shop@web-1:1-0");
		this.warning.onLeaderChanged("x", "shop@web-1:1-0", "bank@web-2:3-0");
		assertThat(output.toString().lines().filter((line) -> line.contains(WARNING))).singleElement()
			.asString()
			.contains("WARN", "Election 'x' is led by another application: 'bank' (this one is 'shop')",
					"set leader-election.prefix");
		this.warning.onLeaderChanged("y", null, "bank@web-1:2-0");
		this.warning.onLeaderChanged("x", null, "mill@web-1:2-0");
		assertThat(output.toString().lines().filter((line) -> line.contains(WARNING))).hasSize(3);
	}

	@Test
	void instancesOfTheSameApplicationCauseNoWarning(CapturedOutput output) {
		this.warning.onLeaderChanged("x", null, "shop@web-2:7-1");
		this.warning.onLeaderChanged("x", "shop@web-2:7-1", null);
		this.warning.onLeaderChanged("x", null, "no-candidate-of-this-library");
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void storedNamesCanNeitherForgeLinesNorFloodTheLog(CapturedOutput output) {
		this.warning.onLeaderChanged("x", null, "a\nINFO forged\u202e" + "n".repeat(9000) + "@h:1-0");
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("INFO forged"));
		assertThat(output.toString()).contains("'a?INFO forged?nnn").doesNotContain("n".repeat(501));
		for (int i = 0; i < 1000; i++) {
			this.warning.onLeaderChanged("x", null, "a" + i + "@h:1-0");
		}
		assertThat(output.toString().lines().filter((line) -> line.contains(WARNING)).count()).isLessThanOrEqualTo(100);
	}

	@Test
	void aContextWarnsWhenItMeetsAnotherApplication(CapturedOutput output) {
		RecordStores shared = new InMemoryRecordStores();
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withBean(RecordStores.class, () -> shared)
			.withPropertyValues("leader-election.elections.invoices.stand=true");
		runner.withPropertyValues("spring.application.name=shop").run((shop) -> {
			await().atMost(LONG).until(() -> shop.getBean(LeaderElection.class).isLeader("invoices"));
			runner.withPropertyValues("spring.application.name=shop")
				.run((second) -> await().atMost(LONG)
					.until(() -> second.getBean(LeaderElection.class).leader("invoices").isPresent()));
			assertThat(output).doesNotContain(WARNING);
			runner.withPropertyValues("spring.application.name=web").run((web) -> {
				await().atMost(LONG).until(() -> output.toString().contains(WARNING));
				assertThat(output)
					.contains("Election 'invoices' is led by another application: 'shop' (this one is 'web')");
			});
		});
	}

}
