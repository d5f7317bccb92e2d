package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;

/**
 * Where the runs of jobs are recorded: one record for each job, which tells of its last
 * run. Every change is one compare-and-set, and survives the loss of a minority of
 * servers once it was answered.
 * <p>
 * The rules by which no fire time is started twice: a record is <em>opened</em> under
 * each new term before anything is started under it, which raises its fence; a start
 * names the term, which must not be below the fence, the run that it follows, and a fire
 * time, which must be later than what is covered. So a start that was sent under an
 * earlier term, however late it arrives, changes nothing once the record was opened; and
 * what its opening has shown is all that earlier terms have started.
 * <p>
 * Times are kept in milliseconds; what is finer than that is cut off. Each call blocks
 * for at most its timeout. {@link LeaseStoreException} means that the outcome is
 * <em>unknown</em>: a change may have been made, may still be made later, or never. Each
 * method can be called again with the same arguments, and then does what is not done yet.
 * Implementations are safe for use by several threads.
 */
public interface RunStore {

	/**
	 * How far ahead of the clock a fire time may be. Where a record covers later ones it
	 * is damaged.
	 */
	Duration MOST_AHEAD = Duration.ofDays(365);

	/**
	 * Open records, in a fixed number of round trips. A record that is not there is made,
	 * with everything covered up to {@link RunOpening#asOf()}; where another timetable is
	 * recorded it is replaced, and everything up to then is covered too. What was covered
	 * stays covered.
	 * @param openings the records, at most one opening for each job
	 * @param timeout how long the call may take, positive
	 * @return the records as they are now, by job. A job whose record has been opened
	 * under a later term is in neither map.
	 * @throws LeaseStoreException if the outcome is unknown for all
	 */
	RunReading open(Collection<RunOpening> openings, Duration timeout);

	/**
	 * Record the start of a run, and that everything up to its fire time is covered, if
	 * <ul>
	 * <li>the term of the run is not below the fence, which is raised to it,
	 * <li>the last run is the one that is expected, and
	 * <li>for a first attempt, the fire time is later than what is covered, or there is
	 * none; for a further attempt, the last run was for the same fire time, or also
	 * without one, and has not ended or is {@code UNFINISHED}.
	 * </ul>
	 * @param start the start
	 * @param timeout how long the call may take, positive
	 * @return the record as it is now. If and only if the run is its last one, the start
	 * is recorded, by this call or by an earlier one of the same run.
	 * @throws LeaseStoreException if the outcome is unknown, or the record is damaged or
	 * not there
	 */
	RunRecord start(RunStart start, Duration timeout);

	/**
	 * Record the end of a run that is the last one and has not ended. A run is withdrawn
	 * only as long as the fence is that of its term; then its fire time, if it has one,
	 * is not covered any more, and can be started again.
	 * @param end the end
	 * @param timeout how long the call may take
	 * @return whether the end is recorded, by this call; {@code false} for one that has
	 * ended before, or was followed by another
	 * @throws LeaseStoreException if there was no answer
	 */
	boolean finish(RunEnd end, Duration timeout);

	/**
	 * Settle fire times that nothing was started for, if the fence is not above the term
	 * and what is covered is just what was expected, so that none is counted twice.
	 * @param cover the fire times
	 * @param timeout how long the call may take
	 * @return whether this call has settled them
	 * @throws LeaseStoreException if there was no answer
	 */
	boolean cover(RunCover cover, Duration timeout);

	/**
	 * Return records as they are, in one round trip. Decides nothing.
	 * @param keys the jobs
	 * @param timeout how long the call may take, positive
	 * @return what was found; a job without a record is in neither map
	 * @throws LeaseStoreException if the records could not be read
	 */
	RunReading find(Collection<JobKey> keys, Duration timeout);

}
