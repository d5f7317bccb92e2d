package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes another instance lead the given elections from the start of a test. On a class,
 * it applies to every test in the class. Another instance leads any election that a test
 * does not name. Use this annotation to say so, or to exempt a test from a
 * {@link WithLeadership} on its class. Can be used as a meta-annotation.
 */
@Documented
@Inherited
@AutoConfigureLeadershipControl
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface WithoutLeadership {

	/**
	 * The elections that another instance leads; may contain <code>${…}</code>
	 * placeholders. By default, the election of a
	 * {@link io.github.leaderelection.LeaderOnly} annotation that names none. The test
	 * fails if this instance does not stand in one of the elections.
	 * @return the election names
	 */
	String[] value() default "";

}
