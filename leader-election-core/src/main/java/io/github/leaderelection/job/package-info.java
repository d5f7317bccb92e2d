/**
 * The runs of jobs: which fire time is due, and that it is started once.
 * <p>
 * {@link io.github.leaderelection.job.RunRecord} is what is recorded about a job;
 * {@code RunChange} says what may follow it, and {@code JobSchedule} which change is due.
 * Both are pure. {@code JobState} knows the record of one job, and what is still to be
 * written to it, {@code RunStore} reads and writes the records of all, and
 * {@code JobRunner} takes one job through its runs.
 * {@link io.github.leaderelection.job.RecordedJobs} has the jobs of this process, and the
 * thread that looks after them.
 */
@NullMarked
package io.github.leaderelection.job;

import org.jspecify.annotations.NullMarked;
