package io.github.leaderelection.spring;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.List;

import io.github.leaderelection.AllocatedBytes;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.TestTerm;
import io.micrometer.observation.ObservationRegistry;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The interceptor allocates nothing: what a gated call does is what Spring makes for any
 * that is intercepted.
 */
@Tag("deep")
class LeaderOnlyAllocationTests {

	private final TestTerm term = new TestTerm("jobs", 1);

	@Test
	void callOnTheLeaderAllocatesNothing() {
		assertThat(bytesPerCall(gate(this.term), "result")).isZero();
		assertThat(this.term.inFlight()).isZero();
	}

	@Test
	void callOnFollowerAllocatesNothing() {
		assertThat(bytesPerCall(LeaderOnlyGate.closed(), null)).isZero();
	}

	private static long bytesPerCall(LeaderOnlyGate gate, @Nullable Object expected) {
		List<Class<?>> types = List.of(Jobs.class);
		GateOperations operations = new GateOperations(types, LeaderOnlyMethods.in(types),
				new GateOperationFactory(new GateSettings(GateMode.ENFORCED, true, 0, true, "jobs"), (value) -> value,
						new FencedMethods(() -> null, () -> null)));
		GateInterceptor interceptor = new GateInterceptor(operations, gate, GateMode.ENFORCED,
				new GateObservations(() -> ObservationRegistry.NOOP), (job, planned, leadership) -> null);
		Invocation invocation = new Invocation(ReflectionUtils.findMethod(Jobs.class, "run"));
		return AllocatedBytes.perCall(() -> {
			if (call(interceptor, invocation) != expected) {
				throw new IllegalStateException("Not what was expected of a call");
			}
		});
	}

	private static @Nullable Object call(GateInterceptor interceptor, Invocation invocation) {
		try {
			return interceptor.invoke(invocation);
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static LeaderOnlyGate gate(TestTerm term) {
		return new LeaderOnlyGate() {

			@Override
			public void stand(String election) {
			}

			@Override
			public long enter(String election, boolean interruptible) {
				return term.enter(interruptible);
			}

		};
	}

	static class Jobs {

		@LeaderOnly
		public @Nullable String run() {
			return "result";
		}

	}

	/** One that can be used again. */
	private record Invocation(Method method) implements MethodInvocation {

		@Override
		public Method getMethod() {
			return this.method;
		}

		@Override
		public @Nullable Object[] getArguments() {
			return new Object[0];
		}

		@Override
		public Object proceed() {
			return "result";
		}

		@Override
		public Object getThis() {
			return this;
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.method;
		}

	}

}
