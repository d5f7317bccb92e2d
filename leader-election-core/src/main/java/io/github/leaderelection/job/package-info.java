/**
 * The runs of jobs: which fire time is due, and that it is started once.
 * <p>
 * {@link io.github.leaderelection.job.DueRun} decides what is due, and does nothing else.
 * {@link io.github.leaderelection.job.JobLedger} keeps what is known about one job and
 * goes through the steps of one run. {@link io.github.leaderelection.job.RecordedJobs}
 * has the jobs of this process, and the thread that looks after them.
 */
@NullMarked
package io.github.leaderelection.job;

import org.jspecify.annotations.NullMarked;
