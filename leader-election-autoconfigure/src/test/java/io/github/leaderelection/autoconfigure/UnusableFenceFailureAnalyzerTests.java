package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.fence.UnusableFenceException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnusableFenceFailureAnalyzer}.
 */
class UnusableFenceFailureAnalyzerTests {

	@Test
	void tellsWhatIsWrongAndWhatToDo() {
		FailureAnalysis analysis = FailureAnalyses.of(
				new BeanCreationException("days", "not made", new UnusableFenceException("it is not there", "Add it")),
				new DefaultListableBeanFactory());
		assertThat(analysis.getDescription()).isEqualTo("Transactions can't be fenced: it is not there.");
		assertThat(analysis.getAction()).isEqualTo("Add it.");
	}

}
