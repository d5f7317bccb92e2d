package io.github.leaderelection.test;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WithLeadership} and {@link WithoutLeadership}.
 */
@ControlledTest
@WithLeadership("x")
class WithLeadershipTests {

	@Autowired
	LeaderElection elections;

	@Autowired
	ElectionEngine engine;

	@Autowired
	LeadershipControl control;

	@Autowired
	Job job;

	private boolean ledBefore;

	@BeforeEach
	void lookBefore() {
		this.ledBefore = this.elections.isLeader("x");
	}

	@AfterEach
	void lookAfter() {
		assertThat(this.elections.isLeader("x")).isEqualTo(this.ledBefore);
	}

	@Test
	@WithoutLeadership("x")
	void methodWins() {
		assertThat(this.ledBefore).isFalse();
		assertThat(led()).isEmpty();
	}

	@Test
	@WithLeadership("y")
	void methodAdds() {
		assertThat(led()).containsExactly("x", "y");
	}

	@Test
	@WithLeadership({ "y", "shop" })
	@WithoutLeadership("x")
	void severalElections() {
		assertThat(led()).containsExactly("shop", "y");
	}

	@Test
	@WithLeadership
	void defaultElection() {
		List<String> run = new ArrayList<>();
		this.job.runDefault(() -> run.add("default"));
		assertThat(led()).containsExactly("shop", "x");
		this.control.revoke("shop");
		this.job.runDefault(() -> run.add("ran on a follower"));
		assertThat(run).containsExactly("default");
	}

	@Test
	@WithLeadership("${test.election}")
	void placeholder() {
		assertThat(led()).containsExactly("x", "y");
	}

	@Test
	@Everything
	void composedAnnotation() {
		assertThat(led()).containsExactly("shop", "x", "y");
	}

	@RepeatedTest(2)
	void annotationOfTheClassAppliesAndStateIsResetBetweenTests() {
		assertThat(this.ledBefore).isTrue();
		assertThat(led()).containsExactly("x");
		this.control.grant("y");
		this.elections.resign("x");
		this.control.grant("x");
		this.elections.pause("y");
		this.engine.pauseElection("y");
	}

	private List<String> led() {
		return this.elections.elections().stream().filter(this.elections::isLeader).sorted().toList();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@WithLeadership({ "shop", "x", "y" })
	@interface Everything {

	}

	@Nested
	@WithoutLeadership("x")
	@WithLeadership("y")
	class Inner {

		@Test
		void innerClassWins() {
			assertThat(led()).containsExactly("y");
		}

		@Test
		@WithLeadership("x")
		void methodWinsOverBoth() {
			assertThat(led()).containsExactly("x", "y");
		}

	}

	@Nested
	class Plain {

		@Test
		void annotationOfTheEnclosingClassApplies() {
			assertThat(led()).containsExactly("x");
		}

	}

}
