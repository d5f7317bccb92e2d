package io.github.leaderelection.test;

import java.lang.reflect.Method;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link LeadershipTestExecutionListener} and
 * {@link LeadershipControlContextCustomizerFactory}, which run test cases as a test
 * framework does.
 */
class LeadershipTestExecutionListenerTests {

	@Test
	void leadershipChangesWithoutANewContext() throws Exception {
		ApplicationContext first = run(LeadingCase.class, "leads");
		assertThat(run(LeadingCase.class, "doesNotLead")).isSameAs(first);
		assertThat(run(SubclassCase.class, "doesNotLead")).isSameAs(first);
		assertThat(run(MethodCase.class, "leads")).isSameAs(first);
		assertThat(run(MethodCase.NestedCase.class, "doesNotLead")).isSameAs(first);
	}

	@Test
	void leadershipEndsBetweenTests() throws Exception {
		LeaderElection elections = run(LeadingCase.class, "leads").getBean(LeaderElection.class);
		assertThat(elections.isLeader("x")).isFalse();
	}

	@Test
	void classWithoutAnyAnnotationIsNotControlled() throws Exception {
		ApplicationContext context = run(UncontrolledCase.class, "anything");
		assertThat(context.getBeanProvider(LeadershipControl.class).getIfAvailable()).isNull();
	}

	@Test
	void leaderElectionIsEnabledAndTheStoreOfTheApplicationIsNotUsed() throws Exception {
		run(DisabledCase.class, "doesNotLead");
	}

	@Test
	void unknownElectionFailsTheTest() {
		assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> run(WrongCase.class, "typo"))
			.withMessageContaining("does not stand in election 'xx'");
		assertThatExceptionOfType(UnknownElectionException.class)
			.isThrownBy(() -> run(WrongCase.class, "typoOfFollower"))
			.withMessageContaining("does not stand in election 'xx'");
	}

	@Test
	void contradictionFailsTheTest() {
		assertThatIllegalStateException().isThrownBy(() -> run(WrongCase.class, "contradiction"))
			.withMessageContainingAll("contradiction", "has both @WithLeadership and @WithoutLeadership",
					"election 'x'");
	}

	@Test
	void missingDefaultFailsTheTest() {
		assertThatIllegalStateException().isThrownBy(() -> run(NamelessCase.class, "leads"))
			.withMessageContainingAll("names no election", "leader-election.default-election",
					"spring.application.name");
	}

	@Test
	void failureHintsThatOnlyOtherTestsOfTheClassAreAnnotated() {
		assertThat(catchThrowable(() -> run(MethodCase.class, "fails")).getSuppressed()).singleElement()
			.satisfies((hint) -> assertThat(hint).hasMessageContainingAll("MethodCase", "no @WithLeadership",
					"are led by another instance"));
		assertThat(catchThrowable(() -> run(LeadingCase.class, "fails"))).hasNoSuppressedExceptions();
		assertThat(catchThrowable(() -> run(UncontrolledCase.class, "fails"))).hasNoSuppressedExceptions();
	}

	private static ApplicationContext run(Class<? extends Case> testClass, String methodName) throws Exception {
		TestContextManager manager = new TestContextManager(testClass);
		Case test = newInstance(testClass);
		Method method = ReflectionUtils.findMethod(testClass, methodName);
		ReflectionUtils.makeAccessible(method);
		manager.prepareTestInstance(test);
		try {
			manager.beforeTestMethod(test, method);
			execute(manager, test, method);
		}
		finally {
			manager.afterTestMethod(test, method, null);
		}
		return manager.getTestContext().getApplicationContext();
	}

	/** As the framework does if the callbacks before each test have not failed. */
	private static void execute(TestContextManager manager, Case test, Method method) throws Exception {
		Throwable failure = null;
		try {
			manager.beforeTestExecution(test, method);
			ReflectionUtils.invokeMethod(method, test);
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			manager.afterTestExecution(test, method, failure);
		}
	}

	private static Case newInstance(Class<? extends Case> testClass) throws ReflectiveOperationException {
		return (testClass != MethodCase.NestedCase.class) ? testClass.getDeclaredConstructor().newInstance()
				: new MethodCase().new NestedCase();
	}

	static class Case {

		@Autowired
		LeaderElection elections;

		void leads() {
			assertThat(this.elections.isLeader("x")).isTrue();
		}

		void doesNotLead() {
			assertThat(this.elections.isLeader("x")).isFalse();
		}

		void fails() {
			throw new AssertionError();
		}

	}

	@ControlledTest
	@WithLeadership("x")
	static class LeadingCase extends Case {

		@Override
		@WithoutLeadership("x")
		void doesNotLead() {
			super.doesNotLead();
		}

	}

	@WithoutLeadership("x")
	static class SubclassCase extends LeadingCase {

		@Override
		void doesNotLead() {
			assertThat(this.elections.isLeader("x")).isFalse();
		}

	}

	@ControlledTest
	static class MethodCase extends Case {

		@Override
		@WithLeadership("x")
		void leads() {
			super.leads();
		}

		class NestedCase extends Case {

		}

	}

	@ControlledTest
	@TestPropertySource(properties = "leader-election.enabled=false")
	static class UncontrolledCase extends Case {

		void anything() {
		}

	}

	@ControlledTest
	@WithoutLeadership("x")
	@Import(OwnStore.class)
	@TestPropertySource(properties = "leader-election.enabled=false")
	static class DisabledCase extends Case {

		@Override
		@WithLeadership("y")
		void doesNotLead() {
			super.doesNotLead();
			assertThat(this.elections.isLeader("y")).isTrue();
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class OwnStore {

		@Bean
		RecordStores ownStores() {
			return Mockito.mock(RecordStores.class, (call) -> {
				throw new AssertionError("a store of the application is used");
			});
		}

	}

	@ControlledTest
	static class WrongCase extends Case {

		@WithLeadership("xx")
		void typo() {
		}

		@WithoutLeadership("xx")
		void typoOfFollower() {
		}

		@WithLeadership("x")
		@WithoutLeadership({ "y", "x" })
		void contradiction() {
		}

	}

	@EnableAutoConfiguration
	static class NamelessApplication {

	}

	@SpringBootTest(classes = NamelessApplication.class)
	static class NamelessCase extends Case {

		@Override
		@WithLeadership
		void leads() {
			super.leads();
		}

	}

}
