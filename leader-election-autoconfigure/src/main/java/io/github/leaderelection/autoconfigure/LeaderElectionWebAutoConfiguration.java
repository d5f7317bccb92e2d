package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.web.ElectionProblemHandler;
import io.github.leaderelection.web.ElectionProblemResolver;
import jakarta.servlet.Servlet;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the error responses of a web
 * application that does not lead.
 */
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnWebApplication
@EnableConfigurationProperties(LeaderElectionProperties.class)
public final class LeaderElectionWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ DispatcherServlet.class, Servlet.class })
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class ServletConfiguration {

		@Bean
		@ConditionalOnMissingBean
		ElectionProblemResolver electionProblemResolver(LeaderElectionProperties properties) {
			return new ElectionProblemResolver(properties.web().exposeLeader());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(DispatcherHandler.class)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class ReactiveConfiguration {

		@Bean
		@ConditionalOnMissingBean
		ElectionProblemHandler electionProblemHandler(LeaderElectionProperties properties) {
			return new ElectionProblemHandler(properties.web().exposeLeader());
		}

	}

}
