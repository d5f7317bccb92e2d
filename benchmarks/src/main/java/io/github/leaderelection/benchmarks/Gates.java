package io.github.leaderelection.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.launcher.MongoReplicaSet;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Measures what a gated call costs.
 */
final class Gates {

	/** The benchmarks, and their descriptions in the report. */
	private static final Map<String, String> NAMES = Map.of("job", "the job alone", "bareInterceptor",
			"behind a Spring proxy with an interceptor that does nothing", "clocks",
			"reading both clocks, nothing else", "gate", "behind the gate, without Spring", "gatedByProxy",
			"`@LeaderOnly`, behind a Spring proxy", "shedLock",
			"ShedLock `LockingTaskExecutor`, on MongoDB, majority writes");

	private Gates() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws RunnerException {
		report.title("Gate");
		report.paragraph("""
				Time and allocation per call of a job that does next to nothing, by JMH: two forks, five seconds each.
				""");
		Collection<RunResult> results = new Runner(new OptionsBuilder().include(GateBenchmark.class.getSimpleName())
			.jvmArgsAppend("-D%s=%s".formatted(GateBenchmark.URI, mongo.uri()))
			.addProfiler(GCProfiler.class)
			.build()).run();
		List<List<String>> rows = new ArrayList<>();
		for (RunResult result : results) {
			String name = result.getPrimaryResult().getLabel();
			String leader = result.getParams().getParam("leader");
			rows.add(List.of(NAMES.getOrDefault(name, name),
					(leader == null) ? "–" : leader.equals("true") ? "leader" : "follower",
					Samples.format(result.getPrimaryResult().getScore()),
					Samples.format(result.getPrimaryResult().getScoreError()), Samples.format(allocated(result))));
		}
		report.table(List.of("call", "on a", "ns", "±", "bytes"), rows);
		double leader = nanos(results, "gate", "true");
		report.measured(Target.GATE_LEADER, leader);
		report.measured(Target.GATE_FOLLOWER, nanos(results, "gate", "false"));
		report.measured(Target.GATE_OVER_LOCK, 10_000 * leader / nanos(results, "shedLock", null));
	}

	private static double nanos(Collection<RunResult> results, String name, @Nullable String leader) {
		return results.stream()
			.filter((each) -> each.getPrimaryResult().getLabel().equals(name))
			.filter((each) -> leader == null || leader.equals(each.getParams().getParam("leader")))
			.mapToDouble((each) -> each.getPrimaryResult().getScore())
			.findFirst()
			.orElse(Double.NaN);
	}

	private static double allocated(RunResult result) {
		Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
		return (allocated != null) ? allocated.getScore() : Double.NaN;
	}

}
