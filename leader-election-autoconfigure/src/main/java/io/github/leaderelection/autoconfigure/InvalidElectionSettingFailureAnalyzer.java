package io.github.leaderelection.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains {@link InvalidElectionSettingException}.
 */
class InvalidElectionSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidElectionSettingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidElectionSettingException cause) {
		return new FailureAnalysis(cause.getReason(), cause.getRemedy(), cause);
	}

}
