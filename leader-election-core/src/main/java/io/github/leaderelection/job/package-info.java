/**
 * The runs of jobs: which fire time is due, and that it is started once.
 * <p>
 * {@link io.github.leaderelection.job.RunRecord} is what is recorded about a job, and
 * what may follow that; {@code JobSchedule} says what is due. Both are pure.
 * {@code RecordedJob} compares what has happened to a job in this process with its
 * record, and {@code RunStore} reads and writes the records of all until both agree.
 * {@link io.github.leaderelection.job.RecordedJobs} has the jobs of this process, and the
 * thread that looks after them.
 */
@NullMarked
package io.github.leaderelection.job;

import org.jspecify.annotations.NullMarked;
