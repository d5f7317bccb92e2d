package io.github.leaderelection.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * A gated call allocates nothing, compiled or not: bytes are counted, not time.
 */
class GateAllocationTests {

	private static final int CALLS = 100_000;

	/** What the JVM itself may allocate in this thread meanwhile. */
	private static final long SLACK = CALLS / 10;

	private final Term term = new Term("jobs", "me", 1, EngineClock.SYSTEM.now().plus(Duration.ofHours(1)),
			EngineClock.SYSTEM, Runnable::run, new EngineObservers(List.of(), EngineClock.SYSTEM));

	private volatile Object kept;

	@BeforeEach
	void bytesAreCounted() {
		assumeThat(ManagementFactory.getThreadMXBean()).as("counts the bytes that a thread allocates")
			.isInstanceOfSatisfying(ThreadMXBean.class, (bean) -> assumeThat(
					bean.isThreadAllocatedMemorySupported() && bean.isThreadAllocatedMemoryEnabled())
				.isTrue());
	}

	@AfterEach
	void everyCallHasEnded() {
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void callOnTheLeaderAllocatesNothing() {
		assertThat(allocatedBy(() -> call(this.term))).isLessThan(SLACK);
	}

	@Test
	void callInsideAnotherAllocatesNothing() {
		long outer = this.term.enter(true);
		assertThat(allocatedBy(() -> call(this.term))).isLessThan(SLACK);
		GatedCall.end(outer);
	}

	@Test
	void refusedCallAllocatesNothing() {
		this.term.calls().close();
		assertThat(allocatedBy(() -> this.term.enter(true))).isLessThan(SLACK);
	}

	@Test
	void callThatAllocatesIsNoticed() {
		assertThat(allocatedBy(() -> {
			this.kept = new Moment(call(this.term), 0);
			return 1;
		})).isGreaterThan(SLACK);
	}

	private static long call(Term term) {
		long ticket = term.enter(true);
		GatedCall.end(ticket);
		return ticket;
	}

	private static long allocatedBy(LongSupplier call) {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long thread = Thread.currentThread().getId();
		// What is allocated once, such as the entries of thread locals, is beside the
		// point.
		long sum = call.getAsLong() + threads.getThreadAllocatedBytes(thread);
		long before = threads.getThreadAllocatedBytes(thread);
		for (int i = 0; i < CALLS; i++) {
			sum += call.getAsLong();
		}
		long allocated = threads.getThreadAllocatedBytes(thread) - before;
		assertThat(sum).isNotZero();
		return allocated;
	}

}
