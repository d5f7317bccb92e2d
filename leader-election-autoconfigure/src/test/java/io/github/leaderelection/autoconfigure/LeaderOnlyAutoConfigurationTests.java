package io.github.leaderelection.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.spring.InvalidLeaderOnlyException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaderOnlyAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withPropertyValues("spring.application.name=orders");

	@Test
	void gatedBeanWithoutAnEngineFailsTheStart() {
		this.runner.withBean(Jobs.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLeaderOnlyException.class)
				.hasMessageContaining("there is no election engine"));
	}

	@Test
	void engineIsCreatedAfterOtherSingletons() {
		List<String> made = new ArrayList<>();
		this.runner.withBean(Jobs.class).withBean("engine", ElectionEngine.class, () -> {
			made.add("engine");
			throw new IllegalStateException("seen enough");
		}, (definition) -> definition.setLazyInit(true)).withBean("last", Plain.class, () -> {
			made.add("last");
			return new Plain();
		}).run((context) -> assertThat(made).containsExactly("last", "engine"));
	}

	@Test
	void contextWithoutGatedBeansNeedsNoEngineAndNoEarlyBeans(CapturedOutput output) {
		this.runner.withBean(Plain.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("not eligible for getting processed");
		});
	}

	@Test
	void gatedMethodsRunWhenDisabled() {
		this.runner.withPropertyValues("leader-election.enabled=false").withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.run()).isEqualTo("ran");
			assertThat(jobs.strict()).isEqualTo(1);
			assertThat(jobs.mono().block()).isEqualTo("mono");
			assertThat(jobs.stage()).isCompletedWithValue("stage");
		});
	}

	@Test
	void gatedMethodsAreSkippedWhenDisabledInSkipMode() {
		this.runner.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=skip")
			.withBean(Jobs.class)
			.run((context) -> {
				Jobs jobs = context.getBean(Jobs.class);
				assertThat(jobs.run()).isNull();
				assertThat(jobs.optional()).isEmpty();
				assertThat(jobs.stage()).isCompletedWithValue(null);
				assertThat(jobs.mono().blockOptional()).isEmpty();
				assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::strict);
			});
	}

	@Test
	void unknownWhenDisabledValueFailsTheStart() {
		this.runner.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=enforced")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("No enum constant")
				.hasMessageContaining("enforced"));
	}

	static class Plain {

		public String run() {
			return "ran";
		}

	}

	static class Jobs {

		@LeaderOnly
		public String run() {
			return "ran";
		}

		@LeaderOnly
		public Optional<String> optional() {
			return Optional.of("optional");
		}

		@LeaderOnly
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("stage");
		}

		@LeaderOnly
		public Mono<String> mono() {
			return Mono.just("mono");
		}

		@LeaderOnly(otherwise = Otherwise.THROW)
		public int strict() {
			return 1;
		}

	}

}
