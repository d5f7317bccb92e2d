package io.github.leaderelection.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Enables leader election in an application without Spring Boot. To be used on a
 * configuration class. Requires one bean, the
 * {@link io.github.leaderelection.store.RecordStores} in which leases, candidates and job
 * runs are stored. Declares an {@link io.github.leaderelection.engine.ElectionEngine},
 * which starts and stops with the application context and registers all
 * {@link io.github.leaderelection.Candidate} beans. Enforces
 * {@link io.github.leaderelection.LeaderOnly}, and publishes
 * {@linkplain io.github.leaderelection.spring.event events}.
 * <p>
 * Optional beans configure this: an
 * {@link io.github.leaderelection.engine.ElectionSettings} for all elections, or an
 * {@link io.github.leaderelection.engine.ElectionEngineBuilder} for more than that;
 * {@link GateSettings}; and
 * {@link io.github.leaderelection.spring.bound.ComponentSettings}. These properties of
 * the {@link org.springframework.core.env.Environment} are read:
 * {@code spring.application.name}, {@code leader-election.default-election},
 * {@code leader-election.prefix} and {@code spring.aop.proxy-target-class}.
 * <p>
 * Applications with Spring Boot get all of this, and more, by auto-configuration.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LeaderElectionConfiguration.class)
public @interface EnableLeaderElection {

}
