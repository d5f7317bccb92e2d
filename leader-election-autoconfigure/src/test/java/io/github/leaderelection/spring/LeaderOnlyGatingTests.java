package io.github.leaderelection.spring;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of which methods are gated, and how a plain call is.
 */
class LeaderOnlyGatingTests {

	private final ApplicationContextRunner runner = GateRunner.follower();

	@Test
	void runsOnTheLeaderAndIsSkippedOnAFollower() {
		this.runner.withBean(Jobs.class).run((context) -> {
			assertThat(GateRunner.gate(context).stood()).containsExactly("nightly", "orders", "strict");
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.nightly("a")).isNull();
			jobs.unnamed();
			assertThat(jobs.runs()).isEmpty();
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::strict)
				.withMessage("LeaderOnlyGatingTests.Jobs.strict was refused: "
						+ "this instance does not lead election 'strict'")
				.satisfies((ex) -> assertThat(ex.getElection()).isEqualTo("strict"));
			assertThat(GateRunner.gate(context).asked()).containsExactly("nightly", "orders", "strict");
			assertThat(GateRunner.gate(context).refused()).containsExactly("nightly skipped", "orders skipped",
					"strict rejected");
			GateRunner.gate(context).leading("nightly");
			assertThat(jobs.nightly("a")).isEqualTo("ran a");
		});
	}

	@Test
	void callIsInFlightUntilItReturns() {
		this.runner.withBean(Probe.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("probe");
			List<Object> seen = new ArrayList<>();
			context.getBean(Probe.class).run(() -> {
				seen.add(gate.inFlight("probe"));
				seen.add(TestTerm.current());
			});
			assertThat(seen).containsExactly(1, gate.term("probe").leadership());
			assertThat(gate.inFlight("probe")).isZero();
			assertThat(TestTerm.current()).isNull();
		});
	}

	@Test
	void exceptionsPassAndEndTheCall() {
		this.runner.withBean(Probe.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("probe");
			IOException failure = new IOException("disk full");
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> context.getBean(Probe.class).run(() -> {
				throw failure;
			})).isSameAs(failure);
			assertThat(gate.inFlight("probe")).isZero();
		});
	}

	@ParameterizedTest
	@CsvSource({ "true, true, true", "true, false, false", "false, true, false" })
	void lossInterruptsWhereAnnotationAndPropertySaySo(boolean property, boolean annotation, boolean interrupts) {
		this.runner.withBean(Probe.class)
			.withPropertyValues("leader-election.interrupt-on-loss=" + property)
			.run((context) -> {
				TestGate gate = GateRunner.gate(context).leading("probe");
				Probe probe = context.getBean(Probe.class);
				AtomicReference<Boolean> interrupted = new AtomicReference<>();
				Task task = () -> {
					gate.lose("probe");
					interrupted.set(Thread.currentThread().isInterrupted());
				};
				if (annotation) {
					probe.run(task);
				}
				else {
					probe.runToTheEnd(task);
				}
				assertThat(interrupted).hasValue(interrupts);
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void classAnnotationGatesEveryMethodButThoseOfObject() {
		this.runner.withBean(GatedClass.class).run((context) -> {
			GatedClass bean = context.getBean(GatedClass.class);
			assertThat(bean.open()).isNull();
			assertThat(bean.shared()).isNull();
			assertThat(bean.local()).isNull();
			assertThat(bean.inherited()).isNull();
			assertThat(bean).hasToString("itself");
			assertThat(GateRunner.gate(context).asked()).containsExactly("class", "class", "class", "class");
		});
	}

	@Test
	void methodAnnotationBeatsThatOfTheClass() {
		this.runner.withBean(GatedClass.class).run((context) -> {
			GateRunner.gate(context).leading("method");
			GatedClass bean = context.getBean(GatedClass.class);
			assertThat(bean.special()).isEqualTo("special");
			assertThat(bean.open()).isNull();
		});
	}

	@Test
	void metaAnnotationsGate() {
		this.runner.withBean(MetaAnnotated.class).run((context) -> {
			MetaAnnotated bean = context.getBean(MetaAnnotated.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(bean::fixed)
				.withMessageContaining("'cleanup'");
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(bean::named)
				.withMessageContaining("'archive'");
		});
	}

	@Test
	void annotationOfAnEnclosingClassDoesNotCount() {
		this.runner.withBean(GatedClass.Nested.class).run((context) -> {
			assertThat(context.getBean(GatedClass.Nested.class).open()).isEqualTo("nested");
			assertThat(GateRunner.gate(context).asked()).isEmpty();
		});
	}

	@Test
	void placeholdersInElectionNamesAreReplaced() {
		this.runner.withBean(Placeholders.class).withPropertyValues("region=eu").run((context) -> {
			context.getBean(Placeholders.class).run();
			assertThat(GateRunner.gate(context).asked()).containsExactly("report-eu-all");
		});
	}

	@Test
	void defaultElectionCanBeSet() {
		this.runner.withBean(Jobs.class).withPropertyValues("leader-election.default-election=main").run((context) -> {
			context.getBean(Jobs.class).unnamed();
			assertThat(GateRunner.gate(context).asked()).containsExactly("main");
		});
	}

	@Test
	void implementationsOwnAnnotationIsNearest() {
		this.runner.withBean(NearestFirst.class).run((context) -> {
			context.getBean(NearestFirst.class).print();
			assertThat(GateRunner.gate(context).asked()).containsExactly("own");
		});
	}

	interface Task {

		void run() throws Exception;

	}

	static class Jobs {

		private final List<String> runs = new ArrayList<>();

		@LeaderOnly("nightly")
		public String nightly(String name) {
			this.runs.add("nightly");
			return "ran " + name;
		}

		@LeaderOnly
		public void unnamed() {
			this.runs.add("unnamed");
		}

		@LeaderOnly(value = "strict", otherwise = Otherwise.THROW)
		public int strict() {
			this.runs.add("strict");
			return 1;
		}

		public List<String> runs() {
			return this.runs;
		}

	}

	static class Probe {

		@LeaderOnly("probe")
		public void run(Task task) throws Exception {
			task.run();
		}

		@LeaderOnly(value = "probe", interrupt = false)
		public void runToTheEnd(Task task) throws Exception {
			task.run();
		}

	}

	static class Base {

		public String inherited() {
			return "inherited";
		}

	}

	@LeaderOnly("class")
	static class GatedClass extends Base {

		public String open() {
			return "open";
		}

		protected String shared() {
			return "shared";
		}

		String local() {
			return "local" + hidden();
		}

		@LeaderOnly("method")
		public String special() {
			return "special";
		}

		private int hidden() {
			return 1;
		}

		@Override
		public String toString() {
			return "itself";
		}

		static class Nested {

			public String open() {
				return "nested";
			}

		}

	}

	@LeaderOnly(value = "cleanup", otherwise = Otherwise.THROW)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Cleanup {

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Leading {

		@AliasFor(annotation = LeaderOnly.class, attribute = "value")
		String election();

	}

	static class MetaAnnotated {

		@Cleanup
		public void fixed() {
		}

		@Leading(election = "archive")
		public void named() {
		}

	}

	interface Printable {

		@LeaderOnly("printable")
		String print();

	}

	static class OwnAnnotation {

		@LeaderOnly("own")
		public String print() {
			return "printed";
		}

	}

	static class NearestFirst extends OwnAnnotation implements Printable {

	}

	static class Placeholders {

		@LeaderOnly("report-${region}-${scope:all}")
		public void run() {
		}

	}

}
