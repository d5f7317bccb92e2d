package io.github.leaderelection.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Lets an application without Spring Boot take part in elections, by a configuration
 * class that has it. Needs one bean, the
 * {@link io.github.leaderelection.store.RecordStores} in which leases, candidates and the
 * runs of jobs are kept. There is an
 * {@link io.github.leaderelection.engine.ElectionEngine} then, which starts and ends with
 * the application context and stands for all {@link io.github.leaderelection.Candidate}
 * beans; {@link io.github.leaderelection.LeaderOnly} is obeyed; and
 * {@linkplain io.github.leaderelection.spring.event events} are published.
 * <p>
 * Further beans say how, where the application has them: an
 * {@link io.github.leaderelection.engine.ElectionSettings}, for all elections, or an
 * {@link io.github.leaderelection.engine.ElectionEngineBuilder} that knows more;
 * {@link GateSettings}; and
 * {@link io.github.leaderelection.spring.bound.ComponentSettings}. Of the properties of
 * the {@link org.springframework.core.env.Environment} these are read:
 * {@code spring.application.name}, {@code leader-election.default-election},
 * {@code leader-election.prefix} and {@code spring.aop.proxy-target-class}.
 * <p>
 * Applications that use Spring Boot have all this by auto-configuration, and more.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LeaderElectionConfiguration.class)
public @interface EnableLeaderElection {

}
