package io.github.leaderelection;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The elections that this process takes part in. Inject it to ask who leads, to run work
 * on the leader only, to resign, and to let candidates come and go at run time.
 * <p>
 * A process stands in an election when a {@link Candidate} or a {@link LeaderOnly} method
 * names it, or when the configuration says so; settings alone don't. Methods that take an
 * election name throw {@link UnknownElectionException} for any other name, since a job
 * that asks for an election in which nobody stands would silently run nowhere.
 * <p>
 * Safe for use by any thread. Unless said otherwise methods read local state: they
 * neither block nor touch the store.
 */
public interface LeaderElection {

	/**
	 * Return the id of this process as a candidate, new at each start.
	 * @return the candidate id, {@code <application>@<host>:<pid>-<random>}
	 */
	String candidateId();

	/**
	 * Return the elections that this process stands in.
	 * @return the election names, an unmodifiable snapshot
	 */
	Set<String> elections();

	/**
	 * Return whether this process leads the election now.
	 * @param election the election name
	 * @return whether this process leads
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	boolean isLeader(String election);

	/**
	 * Return the current leadership of this process.
	 * @param election the election name
	 * @return the leadership, held at the time of the call, or empty when this process
	 * does not lead
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	Optional<Leadership> leadership(String election);

	/**
	 * Return the candidate that leads as far as this process has seen. For information
	 * only: the answer may be out of date by a poll interval, and a leader that has
	 * crashed is reported until its lease is taken over.
	 * @param election the election name
	 * @return the candidate id of the leader, or empty when none is known
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	Optional<String> leader(String election);

	/**
	 * Return the leadership under which the calling thread runs a {@link LeaderOnly}
	 * method or {@link #runIfLeader work}, or which such a thread has handed to it with
	 * Micrometer's context propagation. Also asserts that the calling code is gated at
	 * all. The leadership may have been lost since the call began.
	 * <p>
	 * Work that was handed over is not in flight: a change of leader does not wait for
	 * it, and it is not interrupted when leadership is lost, unless the gated call itself
	 * lasts until that work ends. It should check {@link Leadership#isEnding()}, or use
	 * {@link Leadership#onLost}.
	 * @return the leadership of the innermost gated call
	 * @throws IllegalStateException if the calling thread is not inside a gated call, and
	 * was not handed the leadership of one
	 */
	Leadership currentLeadership();

	/**
	 * Run the work in the calling thread if this process leads the election. The work is
	 * in flight until it returns: a graceful change of leader waits for it, and if
	 * leadership is lost meanwhile the thread is interrupted. Work that takes long should
	 * check {@link Leadership#isEnding()} now and then.
	 * @param election the election name
	 * @param work what to run, given the leadership it runs under
	 * @return whether the work was run
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	boolean runIfLeader(String election, Consumer<Leadership> work);

	/**
	 * Run the work as {@link #runIfLeader(String, Consumer)} does, and return its result.
	 * An empty result always means that this process does not lead and the work was not
	 * run: the work must return a value.
	 * @param <T> the type of the result
	 * @param election the election name
	 * @param work what to run, given the leadership it runs under; must not return
	 * {@code null}
	 * @return the result of the work, or empty if the work was not run
	 * @throws UnknownElectionException if this process does not stand in the election
	 * @throws NullPointerException if the work has been run and has returned {@code null}
	 */
	default <T> Optional<T> callIfLeader(String election, Function<Leadership, ? extends T> work) {
		AtomicReference<T> result = new AtomicReference<>();
		boolean run = runIfLeader(election, (leadership) -> result.set(Objects.requireNonNull(work.apply(leadership),
				"The work passed to callIfLeader returned null: return a value, or use runIfLeader")));
		return run ? Optional.of(result.get()) : Optional.empty();
	}

	/**
	 * Give up leadership of the election so that another candidate can lead: no new gated
	 * call starts, those in flight finish (bounded by the drain timeout), candidates are
	 * told, and the lease is released. This process then does not lead for the cooldown.
	 * Returns at once; what it starts proceeds in the background.
	 * @param election the election name
	 * @return whether this process was leading and has begun to resign
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	boolean resign(String election);

	/**
	 * Give up leadership of the election in favor of a certain candidate. Works like
	 * {@link #resign(String)}, except that the lease is left to that candidate: for two
	 * of their poll intervals the other candidates do not take it. If the candidate has
	 * not taken it by then, any candidate may lead.
	 * @param election the election name
	 * @param candidateId the id of the candidate that is to lead
	 * @return whether this process was leading and has begun to resign
	 * @throws IllegalArgumentException if the candidate is this process
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	boolean transfer(String election, String candidateId);

	/**
	 * Stand aside: resign if leading, and do not lead the election again until
	 * {@linkplain #resume(String) resumed}, as long as this process runs. Candidates stay
	 * registered; if all of them leave and come back, this process is still paused. Has
	 * no effect if this process is paused already.
	 * @param election the election name
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	void pause(String election);

	/**
	 * Stand in the election again after {@link #pause(String)}. Has no effect if this
	 * process is not paused.
	 * @param election the election name
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	void resume(String election);

	/**
	 * Let a candidate take part from now on. If this process already leads the election,
	 * the candidate is told so.
	 * @param candidate the candidate; compared by identity, not by equality
	 * @throws IllegalArgumentException if the election name is not valid, or the
	 * candidate is registered already
	 * @throws InvalidConfigurationException if the settings of the election can't be used
	 * @throws IllegalStateException if leader election has been shut down
	 */
	void register(Candidate candidate);

	/**
	 * Withdraw a candidate. If it has been elected it is told of its defeat. When it was
	 * the last with an interest in the election, this process withdraws from the election
	 * and hands over as in {@link #resign(String)}; when that is done, the election is no
	 * longer known here.
	 * @param candidate the candidate, the same object that was registered
	 * @return whether the candidate was registered
	 */
	boolean unregister(Candidate candidate);

}
