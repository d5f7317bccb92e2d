package io.github.leaderelection;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a method of a Spring bean run only while this process leads an election; on a
 * class, every method that callers can reach through the bean's proxy. Can be used as a
 * meta-annotation.
 * <p>
 * A call on a follower is skipped, or refused with {@link NotLeaderException}, as
 * {@link #otherwise()} says. A skipped call returns {@code null}, or an empty
 * {@code Optional}, a completed stage or an empty {@code Mono} or {@code Flux} where the
 * return type asks for one. Reactive types are checked when they are subscribed to.
 * <p>
 * The gate is enforced, or the application does not start: private, final and static
 * methods, and primitive return types under {@link Otherwise#SKIP}, are errors. Like all
 * proxy-based advice it does not see calls that a bean makes to its own methods.
 * <p>
 * A call that was let in is <em>in flight</em> until it returns or its stage or publisher
 * ends. A graceful change of leader waits for calls in flight; when leadership is lost
 * abruptly the calling thread is interrupted, see {@link #interrupt()}. May still be
 * running for a moment after another process has begun to lead if it ignores the
 * interrupt: guard what must not happen twice with the {@linkplain Leadership#term()
 * term}.
 */
@Documented
@Inherited
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaderOnly {

	/**
	 * The election that must be led; may contain <code>${…}</code> placeholders. By
	 * default the one named by {@code leader-election.default-election}.
	 * @return the election name
	 */
	String value() default "";

	/**
	 * What happens to a call while this process does not lead.
	 * @return what to do on a follower
	 */
	Otherwise otherwise() default Otherwise.SKIP;

	/**
	 * Whether the calling thread is interrupted when leadership is lost during the call.
	 * Has no effect where {@code leader-election.interrupt-on-loss} is {@code false}.
	 * @return whether to interrupt
	 */
	boolean interrupt() default true;

	/**
	 * What happens to a call while this process does not lead.
	 */
	enum Otherwise {

		/** The call returns without having run the method. */
		SKIP,

		/** The call throws {@link NotLeaderException}. */
		THROW

	}

}
