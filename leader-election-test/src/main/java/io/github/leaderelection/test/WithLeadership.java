package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes this instance lead the given elections from the start of a test, in a new term.
 * On a class, it applies to every test in the class. What is nearer to the test takes
 * precedence: the method over its class, and a class over its superclass and its
 * enclosing class. Leadership is taken away at the end of the test. Can be used as a
 * meta-annotation.
 * <p>
 * Another instance leads the elections that a test does not name. In methods that run
 * before the first test of a class, this instance leads nothing.
 *
 * @see WithoutLeadership
 */
@Documented
@Inherited
@AutoConfigureLeadershipControl
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface WithLeadership {

	/**
	 * The elections to lead; may contain <code>${…}</code> placeholders. By default, the
	 * election of a {@link io.github.leaderelection.LeaderOnly} annotation that names
	 * none. The test fails if this instance does not stand in one of the elections.
	 * @return the election names
	 */
	String[] value() default "";

}
