package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Puts the elections of a test class under control: leases are kept in memory instead of
 * MongoDB, {@linkplain LeadershipControl another instance} leads whatever this one does
 * not, and time stands still. Leader election is enabled, whatever the configuration
 * says.
 * <p>
 * {@link WithLeadership} and {@link WithoutLeadership} imply it, on a class or any of its
 * methods. Needed only where a test class has neither and uses {@link LeadershipControl}.
 * <p>
 * All test classes under control that are configured alike share an application context,
 * whatever they want to lead. Tests that share one and are run in parallel wait for each
 * other, since each says who leads.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface AutoConfigureLeadershipControl {

}
