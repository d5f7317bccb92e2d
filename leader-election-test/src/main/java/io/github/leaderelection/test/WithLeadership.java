package io.github.leaderelection.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets this instance lead the given elections from the start of a test, in a new term; on
 * a class, of every test in it. What is nearer to the test has precedence: the method
 * over its class, a class over its superclass and over the class that encloses it. At the
 * end of the test leadership is taken away. Can be used as a meta-annotation.
 * <p>
 * Elections that a test does not name are led by another instance. Methods that run
 * before the first test of a class find this instance without any leadership.
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
	 * The elections to lead; may contain <code>${…}</code> placeholders. By default the
	 * one that {@link io.github.leaderelection.LeaderOnly} means when it names none. An
	 * election in which this instance does not stand fails the test.
	 * @return the election names
	 */
	String[] value() default "";

}
