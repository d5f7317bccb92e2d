package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets another instance lead the given elections from the start of a test; on a class, of
 * every test in it. That is so for any election that a test does not name, hence the
 * annotation is there to say so, and to except a test from a {@link WithLeadership} on
 * its class. Can be used as a meta-annotation.
 */
@Documented
@Inherited
@AutoConfigureLeadershipControl
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface WithoutLeadership {

	/**
	 * The elections that another instance leads; may contain <code>${…}</code>
	 * placeholders. By default the one that {@link io.github.leaderelection.LeaderOnly}
	 * means when it names none. An election in which this instance does not stand fails
	 * the test.
	 * @return the election names
	 */
	String[] value() default "";

}
