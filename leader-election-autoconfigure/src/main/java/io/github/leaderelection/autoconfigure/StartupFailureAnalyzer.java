package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.fence.UnusableFenceException;
import io.github.leaderelection.spring.InvalidCandidateException;
import io.github.leaderelection.spring.InvalidLeaderOnlyException;
import io.github.leaderelection.spring.bound.InvalidComponentException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Shows what is wrong, and what can be done, by the exceptions that know it.
 */
final class StartupFailureAnalyzer implements FailureAnalyzer {

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		FailureAnalysis analysis = null;
		for (Throwable each = failure; analysis == null && each != null; each = each.getCause()) {
			analysis = explain(each);
		}
		return analysis;
	}

	private static @Nullable FailureAnalysis explain(Throwable failure) {
		if (failure instanceof InvalidElectionSettingException setting) {
			return new FailureAnalysis(setting.getReason(), setting.getRemedy(), setting);
		}
		if (failure instanceof NoLeaseStoreException store) {
			return new FailureAnalysis(store.getReason(), store.getRemedy(), store);
		}
		if (failure instanceof InvalidLeaderOnlyException annotation) {
			return new FailureAnalysis(annotation.getDescription() + ".", annotation.getRemedy() + ".", annotation);
		}
		if (failure instanceof InvalidComponentException component) {
			return new FailureAnalysis(component.getDescription() + ".", component.getRemedy() + ".", component);
		}
		if (failure instanceof InvalidCandidateException candidate) {
			return new FailureAnalysis(candidate.getMessage() + ".",
					"Correct the name that its election() method returns, and register each candidate once.",
					candidate);
		}
		if (failure instanceof UnusableFenceException fence) {
			return new FailureAnalysis("Transactions can't be fenced: " + fence.getReason() + ".",
					fence.getRemedy() + ".", fence);
		}
		return null;
	}

}
