package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.Timing;
import org.jspecify.annotations.Nullable;

/**
 * A term of this process. It is held until it is ended, or until its own deadline or that
 * of its session has passed.
 */
final class Term implements Leadership {

	private static final EngineLog log = EngineLog.of(Term.class);

	private final EngineContext context;

	private final String election;

	private final long number;

	private final Deadline session;

	/**
	 * The term's own deadline: the session does not show that the lease was removed (S8).
	 */
	private final Deadline own;

	private final GatedCalls calls;

	/**
	 * The callbacks that are still to be run at the end of the term. Created with the
	 * first one: most terms have none, and there may be thousands of terms.
	 */
	private volatile @Nullable Set<Owed> onLost;

	/** Whether it was logged that the callbacks could not be run. */
	private volatile boolean reported;

	private volatile boolean ending;

	/** Whether the term is no longer wanted, and is to be handed over. */
	private volatile boolean unwanted;

	/**
	 * Create a term that begins now.
	 * @param session the deadline of its session
	 * @param validUntil until when no other candidate can lead, whatever has happened to
	 * the lease
	 * @param drained run once when the gate is closed and the last call has ended, on the
	 * thread that finds this out
	 */
	Term(EngineContext context, String election, long number, Deadline session, Moment validUntil, Runnable drained) {
		this.context = context;
		this.election = election;
		this.number = number;
		this.session = session;
		this.own = new Deadline(validUntil, context.clock());
		this.calls = new GatedCalls(this, context.observers(), drained);
	}

	@Override
	public String election() {
		return this.election;
	}

	@Override
	public String leaseId() {
		return this.context.store().leaseId(this.election);
	}

	@Override
	public String candidateId() {
		return this.context.candidateId();
	}

	@Override
	public long term() {
		return this.number;
	}

	@Override
	public boolean isHeld() {
		return endedBy() == null;
	}

	@Override
	public Duration remaining() {
		return Timing.shorter(this.own.remaining(), this.session.remaining());
	}

	@Override
	public Optional<LossReason> lossReason() {
		return Optional.ofNullable(endedBy());
	}

	private @Nullable LossReason endedBy() {
		LossReason found = this.session.endedBy();
		if (found != null) {
			// Keep this reason: a concurrent end() with another reason is too late.
			this.own.end(found);
		}
		return this.own.endedBy();
	}

	/** Return whether the term was lost, rather than ended by its leader. */
	boolean hasLapsed() {
		LossReason reason = endedBy();
		return reason == LossReason.EXPIRED || reason == LossReason.TAKEN_OVER;
	}

	@Override
	public Registration onLost(Consumer<LossReason> callback) {
		Owed owed = new Owed(callback);
		Set<Owed> all = owed();
		all.add(owed);
		if (endedBy() != null) {
			tellOfEnd();
		}
		return () -> {
			all.remove(owed);
			owed.callback.set(null);
		};
	}

	private synchronized Set<Owed> owed() {
		Set<Owed> all = this.onLost;
		this.onLost = (all != null) ? all : ConcurrentHashMap.newKeySet();
		return this.onLost;
	}

	/**
	 * Hand the callbacks to threads. A callback that no thread takes stays pending until
	 * the next call of {@link #end}.
	 */
	private void tellOfEnd() {
		Set<Owed> all = (this.onLost != null) ? this.onLost : Set.of();
		try {
			all.forEach((owed) -> {
				this.context.threads().execute(owed);
				all.remove(owed);
			});
		}
		catch (Throwable ex) {
			boolean known = this.reported;
			this.reported = true;
			if (!known) {
				log.tell(ex,
						(logger, cause) -> logger.error("The end of '{}', term {}, could not be reported; retrying",
								this.election, this.number, cause));
			}
		}
	}

	/**
	 * Return whether all callbacks for the end of the term have been handed to threads.
	 */
	boolean hasToldOfEnd() {
		return this.onLost == null || this.onLost.isEmpty();
	}

	@Override
	public boolean isEnding() {
		return this.ending || !isHeld();
	}

	/** Ask long-running work to come to an end: the term is about to be given up. */
	void beginToEnd() {
		this.ending = true;
	}

	/**
	 * Note that the term is no longer wanted: it is to be handed over if it is still led.
	 */
	void giveUp() {
		this.unwanted = true;
	}

	boolean isUnwanted() {
		return this.unwanted;
	}

	/**
	 * Let a call of the current thread in, if the term is held and the gate is open. The
	 * order of these checks matters: a thread that finds or makes the term ended closes
	 * the gate after that. So it either sees a call that has passed the first check, or
	 * keeps it out.
	 * @param interruptible whether to interrupt the thread if leadership is lost
	 * @return the call, or {@code null}
	 */
	@Nullable GatedCall enter(boolean interruptible) {
		EngineClock clock = this.context.clock();
		long now = clock.nanos();
		long millis = clock.millis();
		boolean held = this.own.isHeldAt(now, millis) && this.session.isHeldAt(now, millis);
		return held ? this.calls.enter(interruptible, now) : null;
	}

	/**
	 * Extend the term's own deadline after the lease was seen. Has no effect if the term
	 * has ended.
	 */
	void validUntil(Moment deadline) {
		this.own.extend(deadline);
	}

	GatedCalls calls() {
		return this.calls;
	}

	/**
	 * End the term, unless it has ended already.
	 * @param reason why
	 */
	void end(LossReason reason) {
		if (endedBy() == null) {
			this.own.end(reason);
		}
		tellOfEnd();
	}

	@Override
	public String toString() {
		return "Leadership[election=%s, term=%d, candidate=%s]".formatted(this.election, this.number, candidateId());
	}

	/**
	 * A callback for the end of the term. It runs once, however often it is handed to a
	 * thread.
	 */
	private final class Owed implements Runnable {

		private final AtomicReference<@Nullable Consumer<LossReason>> callback;

		Owed(Consumer<LossReason> callback) {
			this.callback = new AtomicReference<>(callback);
		}

		@Override
		public void run() {
			Consumer<LossReason> owed = this.callback.getAndSet(null);
			if (owed == null) {
				return;
			}
			try {
				lossReason().ifPresent(owed);
			}
			catch (Throwable ex) {
				log.tell(ex,
						(logger, cause) -> LogLines.about(Term.this, logger.atError())
							.setCause(cause)
							.log("A callback for the end of '{}', term {}, has failed", election(), term()));
			}
		}

	}

}
