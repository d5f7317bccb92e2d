/**
 * Runs of jobs: decides which fire time is due, and makes sure that it is started once.
 * <p>
 * {@link io.github.leaderelection.job.RunRecord} is the record of a job and the changes
 * that may follow it; {@code JobSchedule} decides what is due. Both are pure.
 * {@code RecordedJob} compares what has happened to a job in this process with its
 * record, and {@code RunStore} reads and writes records until both agree.
 * {@link io.github.leaderelection.job.RecordedJobs} has the jobs of this process, and the
 * thread that looks after them.
 */
@NullMarked
package io.github.leaderelection.job;

import org.jspecify.annotations.NullMarked;
