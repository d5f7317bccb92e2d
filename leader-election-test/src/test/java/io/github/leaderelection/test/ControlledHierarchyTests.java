package io.github.leaderelection.test;

import io.github.leaderelection.LeaderElection;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.ContextHierarchy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for leadership that is controlled in a hierarchy of contexts.
 */
@SpringBootTest(properties = { "spring.application.name=shop", "leader-election.elections.x.stand=true" })
@ContextHierarchy({ @ContextConfiguration(classes = ControlledHierarchyTests.Root.class),
		@ContextConfiguration(classes = ControlledHierarchyTests.Web.class) })
class ControlledHierarchyTests {

	@Test
	@WithLeadership("x")
	void leads(@Autowired LeaderElection elections) {
		assertThat(elections.isLeader("x")).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Root {

	}

	@Configuration(proxyBeanMethods = false)
	static class Web {

	}

}
