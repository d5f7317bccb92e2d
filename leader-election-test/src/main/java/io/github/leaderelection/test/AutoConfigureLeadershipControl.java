package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Puts the elections of a test class under control: leases are kept in memory instead of
 * a database, {@linkplain LeadershipControl another instance} leads every election that
 * this instance does not lead, and time stands still. Leader election is enabled,
 * whatever the configuration says.
 * <p>
 * {@link WithLeadership} and {@link WithoutLeadership} imply this annotation, on a class
 * or any of its methods. It is needed only if a test class has neither and uses
 * {@link LeadershipControl}.
 * <p>
 * Controlled test classes with the same configuration share an application context,
 * whatever they want to lead. Parallel tests that share a context run one after the
 * other, since each decides who leads.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface AutoConfigureLeadershipControl {

}
