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
 * On the class of a bean that is a {@code org.springframework.context.Lifecycle}, or on
 * the {@code @Bean} method that creates one, it means something else: the bean is started
 * when this process is elected and stopped when its leadership ends, and the application
 * context does neither. Its methods are not gated then. {@link #otherwise()} and
 * {@link #interrupt()} have no meaning; {@link #fenced()} is an error. The rest of this
 * page is about methods.
 * <p>
 * A call on a follower is skipped, or refused with {@link NotLeaderException}, depending
 * on {@link #otherwise()}. A skipped call returns {@code null}, or an empty
 * {@code Optional}, array, stream, collection or map, a completed stage or an empty
 * {@code Mono} or {@code Flux} if the return type asks for one. Reactive types are
 * checked when they are subscribed to.
 * <p>
 * The gate is enforced, or the application does not start. It is an error to annotate a
 * private, final or static method, or one that the container calls to set up or end a
 * bean or when the application starts. With {@link Otherwise#SKIP}, so are primitive
 * return types and message listeners. In an annotated class, private and static methods
 * that Spring calls are errors, and so is a class without a method that can be gated. On
 * a class, the annotation does not keep the container from calling the methods that set
 * up or end the bean. As with all proxy-based advice, calls that a bean makes to its own
 * methods bypass it.
 * <p>
 * A call that was let in is <em>in flight</em> until it returns or its stage or publisher
 * ends. A graceful change of leader waits for calls in flight. When leadership is lost
 * abruptly the calling thread is interrupted, see {@link #interrupt()}. A call that
 * ignores the interrupt, or was paused, may still be running for a moment after another
 * process has begun to lead: guard what must not happen twice with the
 * {@linkplain Leadership#term() term}, or {@linkplain #fenced() fence} its transactions.
 * <p>
 * Runs that {@code @Scheduled(cron = …)} starts are <em>recorded</em>: each fire time is
 * started at most once across all processes, whatever their clocks say. A fire time that
 * was missed, by a crash, a handover or a pause, is caught up by the next leader: once,
 * however many were missed, unless it is longer ago than {@link #startingDeadline()}. A
 * fire time that comes while the last run is still going on is skipped. Calls of such a
 * method by other code are gated, but not recorded. See {@link JobRuns}.
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
	 * Has no effect if {@code leader-election.interrupt-on-loss} is {@code false}.
	 * @return whether to interrupt
	 */
	boolean interrupt() default true;

	/**
	 * Whether the transactions of the call are fenced with the term: once a later leader
	 * has raised the fence of the election, they can no longer commit, but fail with
	 * {@link LeadershipLostException}, however long this process was paused. Applies to
	 * the transactions that the calling thread begins in the call, and to the one in
	 * which it makes the call, of each Spring {@code MongoTransactionManager},
	 * {@code DataSourceTransactionManager} and {@code JpaTransactionManager}. Writes
	 * outside of them are not guarded. The application does not start without such a
	 * manager, on a standalone server of MongoDB, or without the table for fences in a
	 * relational database. Nor does it start with a method that returns a reactive type:
	 * pass a {@code ReactiveTermFence} in its transactions.
	 * @return whether to fence transactions
	 */
	boolean fenced() default false;

	/**
	 * The name of the job under which runs of a scheduled method are recorded, the same
	 * on all processes; may contain <code>${…}</code> placeholders. By default, the
	 * simple name of the bean's class and that of the method, as in
	 * {@code Invoices.send}: renaming one of them begins a new record, unless the name is
	 * set here. Must be unique in its election; 1 to 200 characters, no slash.
	 * @return the name of the job
	 */
	String job() default "";

	/**
	 * How long after a missed fire time it can still be caught up, as in {@code 1h} or
	 * {@code PT1H}; may contain <code>${…}</code> placeholders. 1 ms to 365 days. By
	 * default, {@code leader-election.starting-deadline}.
	 * @return the starting deadline
	 */
	String startingDeadline() default "";

	/**
	 * How often a recorded run is started at most, if the process that runs it is lost
	 * before the run has ended. An exception is no reason for another attempt. With more
	 * than one attempt, the method must tolerate being started again.
	 * @return the number of attempts, 1 or more
	 */
	int attempts() default 1;

	/**
	 * Which runs of a scheduled method are recorded.
	 * @return what is recorded
	 */
	Recording record() default Recording.CRON;

	/**
	 * Which runs of a scheduled method are recorded.
	 */
	enum Recording {

		/**
		 * Those that {@code @Scheduled(cron = …)} starts. Those by {@code fixedRate} and
		 * {@code fixedDelay} are only gated: each process counts the time for itself. A
		 * method that combines them with cron expressions is a startup error.
		 */
		CRON,

		/**
		 * Also those by {@code fixedRate} or {@code fixedDelay}, of a method that has one
		 * of these and nothing else. The time is counted from the last run on any
		 * process, also across restarts; {@code initialDelay} is the least time from the
		 * start of a process to its first run, and {@link #startingDeadline()} has no
		 * meaning. It is a startup error where runs can't be recorded: for {@code @Async}
		 * methods, and those that return a publisher.
		 */
		ALWAYS,

		/** None. */
		NEVER

	}

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
