/**
 * The runs of jobs: which fire time is due, and that it is started once.
 * <p>
 * {@link io.github.leaderelection.job.RunRecord} is what is recorded about a job, and
 * says what may follow it; {@link io.github.leaderelection.job.JobSchedule} decides when
 * a job is to run. Neither does anything else.
 * {@link io.github.leaderelection.job.JobLedger} takes one job through its runs.
 * {@link io.github.leaderelection.job.RecordedJobs} has the jobs of this process, and the
 * thread that looks after them.
 */
@NullMarked
package io.github.leaderelection.job;

import org.jspecify.annotations.NullMarked;
