package io.github.leaderelection.spring;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * How observed calls of {@link io.github.leaderelection.LeaderOnly} methods are named.
 * The name is {@code leader.election.method}. Key values of low cardinality are
 * {@code election} and {@code method}, of high cardinality {@code term} and
 * {@code candidate}.
 * <p>
 * An application can name them in another way with a
 * {@link io.micrometer.observation.GlobalObservationConvention} for
 * {@link LeaderOnlyObservationContext}.
 */
public class LeaderOnlyObservationConvention implements ObservationConvention<LeaderOnlyObservationContext> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LeaderOnlyObservationContext;
	}

	@Override
	public String getName() {
		return "leader.election.method";
	}

	@Override
	public String getContextualName(LeaderOnlyObservationContext context) {
		return "leader-only " + context.getMethod();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LeaderOnlyObservationContext context) {
		return KeyValues.of("election", context.getLeadership().election(), "method", context.getMethod());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LeaderOnlyObservationContext context) {
		return KeyValues.of("term", String.valueOf(context.getLeadership().term()), "candidate",
				context.getLeadership().candidateId());
	}

}
