package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.Objects;

import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * What Spring Boot would report of a failed start, by the analyzers that are registered.
 */
final class FailureAnalyses {

	private FailureAnalyses() {
	}

	static FailureAnalysis of(AssertableApplicationContext context) {
		return of(context.getStartupFailure(), new DefaultListableBeanFactory());
	}

	static FailureAnalysis of(Throwable failure, BeanFactory beanFactory) {
		return of(failure, beanFactory, new StandardEnvironment());
	}

	static FailureAnalysis of(Throwable failure, BeanFactory beanFactory, Environment environment) {
		SpringFactoriesLoader.ArgumentResolver arguments = SpringFactoriesLoader.ArgumentResolver
			.of(BeanFactory.class, beanFactory)
			.and(Environment.class, environment);
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments,
					SpringFactoriesLoader.FailureHandler.logging(LogFactory.getLog(FailureAnalyses.class)));
		return analyzers.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow(() -> new AssertionError("No analysis of the failure", failure));
	}

	/** Keeps the bean factory and environment of a context that is about to fail. */
	static final class BeanFactoryKeeper {

		private BeanFactory beanFactory;

		private Environment environment;

		void keep(ConfigurableApplicationContext context) {
			this.environment = context.getEnvironment();
			this.beanFactory = ((GenericApplicationContext) context).getDefaultListableBeanFactory();
		}

		FailureAnalysis analyze(AssertableApplicationContext context) {
			return of(context.getStartupFailure(), this.beanFactory, this.environment);
		}

	}

}
