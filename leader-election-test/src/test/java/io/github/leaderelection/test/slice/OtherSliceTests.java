package io.github.leaderelection.test.slice;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.test.WithLeadership;
import io.github.leaderelection.test.WithoutLeadership;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code @LeaderOnly} and the test kit in slices that have nothing to do with either, and
 * in one that an application has made.
 */
class OtherSliceTests {

	@Test
	void allSlicesAreGivenTheSame() throws IOException {
		Set<String> contents = new HashSet<>();
		Set<String> slices = new HashSet<>();
		for (Resource resource : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:META-INF/spring/*Test.imports")) {
			String content = resource.getContentAsString(StandardCharsets.UTF_8);
			if (content.contains(LeaderElectionAutoConfiguration.class.getName())) {
				contents.add(content);
				slices.add(String.valueOf(resource.getFilename()).replace(".imports", ""));
			}
		}
		assertThat(contents).hasSize(1);
		assertThat(slices).hasSize(20)
			.contains("org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest",
					"org.springframework.boot.webflux.test.autoconfigure.WebFluxTest",
					"org.springframework.boot.data.mongodb.test.autoconfigure.DataMongoTest", JsonTest.class.getName());
		assertThat(contents.iterator().next().lines()).allSatisfy((name) -> assertThat(Class.forName(name)).isFinal());
	}

	@Nested
	@JsonTest
	@Import(Cancellations.class)
	class Json {

		@Autowired
		private Cancellations cancellations;

		@Test
		void thisProcessLeads() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
		}

	}

	@Nested
	@SliceOfTheApplication
	class Own {

		@Autowired
		private Cancellations cancellations;

		@Test
		@WithLeadership("invoices")
		void leaderWorks() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
		}

		@Test
		@WithoutLeadership("invoices")
		void followerIsRefused() {
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.cancellations::cancel);
		}

	}

	@SpringBootTest(classes = Cancellations.class)
	@OverrideAutoConfiguration(enabled = false)
	@Retention(RetentionPolicy.RUNTIME)
	@interface SliceOfTheApplication {

	}

}
