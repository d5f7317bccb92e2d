package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.LeaseObservation;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Ways to break the protocol, each of which a simulation must notice. Those without a
 * method here are flaws of {@link SimulatedMongo} or of the clocks.
 */
enum Flaw implements ElectionRegistry.Protocols {

	/** The protocol as it is. */
	NONE(null),

	/** R3: The leader believes for the whole time to live. */
	NO_MARGIN(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				protected Moment deadline(Moment sentAt) {
					return sentAt.plus(timing.ttl());
				}

			};
		}

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected Moment validUntil(Moment sentAt) {
					return sentAt.plus(timing.ttl());
				}

			};
		}

	},

	/** S2: The deadline is counted from when the answer came. */
	DEADLINE_FROM_THE_ANSWER(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				protected Moment countsFrom(SessionState state, Moment now) {
					return now;
				}

			};
		}

	},

	/** S2: The deadline is counted from when a revision was sent last. */
	DEADLINE_FROM_THE_LAST_SENDING(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				public SessionState sending(SessionState state, Moment now) {
					return new SessionState(state.phase(), state.number(), state.revision(), now, state.nextCall(),
							state.validUntil(), state.confirmedAt(), state.failedIn());
				}

			};
		}

	},

	/** S4: A process has been silent for too long when the wall clocks say so. */
	EXPIRY_BY_WALL_CLOCK(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				protected boolean hasOutlived(Duration ttl, Observation seen, Moment now) {
					Session session = seen.session();
					return session == null || session.renewedAt() == null
							|| session.renewedAt().plus(ttl).toEpochMilli() <= now.millis();
				}

			};
		}

	},

	/**
	 * S4: A process has been silent for too long a tenth of its time to live too early.
	 */
	WATCHES_FOR_TOO_SHORT(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				protected boolean hasOutlived(Duration ttl, Observation seen, Moment now) {
					return super.hasOutlived(ttl.minus(ttl.dividedBy(10)), seen, now);
				}

			};
		}

	},

	/** S4: Each candidate waits for as long as its own leases live. */
	OWN_TTL_INSTEAD_OF_THE_HOLDERS(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				protected boolean hasOutlived(Duration ttl, Observation seen, Moment now) {
					return super.hasOutlived(timing.ttl(), seen, now);
				}

			};
		}

	},

	/** S4: A lease is taken from who is silent, without its session being ended. */
	TAKES_WITHOUT_ENDING(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				public Life life(@Nullable Observation seen, Moment now) {
					Life life = super.life(seen, now);
					return (life == Life.SILENT) ? Life.ENDED : life;
				}

			};
		}

	},

	/** S4: A session is ended though it was renewed meanwhile. */
	ENDS_BY_ID_ALONE(Invariant.I1),

	/** S6: A process without a session counts as dead at once. */
	MISSING_IS_ENDED(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				public Life life(@Nullable Observation seen, Moment now) {
					Life life = super.life(seen, now);
					return (life == Life.MISSING) ? Life.ENDED : life;
				}

			};
		}

	},

	/** S6: A lease is taken from who has had no session for long enough, by looks. */
	TAKES_WHERE_NOTHING_IS(Invariant.I1) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				public Life life(@Nullable Observation seen, Moment now) {
					Life life = super.life(seen, now);
					if (life == Life.MISSING) {
						return hasOutlived(timing.ttl(), seen, now) ? Life.ENDED : Life.ALIVE;
					}
					return life;
				}

			};
		}

	},

	/** R1: A lease is taken though it has changed meanwhile. */
	TAKES_BY_ID_ALONE(Invariant.I1),

	/** R1: A release does not name whose lease it releases. */
	RELEASES_BY_ID_ALONE(Invariant.I1),

	/** S9: A release names the holder, and not what it held. */
	RELEASES_BY_HOLDER_ALONE(Invariant.I1),

	/** R2: One's own lease is taken again under the term it has. */
	SAME_TERM_FOR_ITS_OWN_LEASE(Invariant.I2) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
					Due due = super.next(state, holder, now);
					return (due != null && due.command() instanceof Command.Take take && take.expected().isHeldBy(id))
							? new Due(new Command.Take(take.expected(), take.expected().term()), due.at()) : due;
				}

			};
		}

	},

	/** R5: A look that shows its own lease makes a leader. */
	BELIEVES_A_READ(Invariant.I2) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected ElectionState read(ElectionState state, @Nullable Lease lease, Moment sentAt, boolean pushed,
						Moment now) {
					return (lease != null && lease.isHeldBy(id) && state.term() == null && state.stands())
							? taken(state, lease, true, sentAt, now) : super.read(state, lease, sentAt, pushed, now);
				}

			};
		}

	},

	/** S8: The time counts from when a read was answered. */
	LOOK_FROM_THE_ANSWER(Invariant.I1) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected ElectionState read(ElectionState state, @Nullable Lease lease, Moment sentAt, boolean pushed,
						Moment now) {
					return super.read(state, lease, now, pushed, now);
				}

			};
		}

	},

	/** R11: A lease that is missing is free at once. */
	MISSING_LEASE_IS_FREE(Invariant.I1) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected long outlivedAt(Lease lease, LeaseObservation seen) {
					return seen.since();
				}

			};
		}

	},

	/** A lease is taken though the election is paused. */
	TAKES_WHAT_IS_PAUSED(Invariant.I4) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
					Lease lease = state.presentLease();
					return (lease != null && lease.isVacant() && state.isPaused() && state.term() == null)
							? new Due(new Command.Take(lease, lease.term() + 1), now.nanos())
							: super.next(state, holder, now);
				}

			};
		}

	},

	/** Nobody hands over, whatever is asked of it. */
	NEVER_HANDS_OVER(Invariant.I4) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected ElectionState handOver(ElectionState state, TermState.Handover how) {
					return state;
				}

			};
		}

	},

	/** R4: Writes are acknowledged by the primary alone. */
	ACKNOWLEDGES_BEFORE_MAJORITY(Invariant.I1),

	/** R9: The lease is released when the gate closes. */
	RELEASES_BEFORE_THE_DRAIN(Invariant.I5) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				protected ElectionState handOver(ElectionState state, TermState.Handover how) {
					ElectionState next = super.handOver(state, how);
					return state.isIn(TermState.Phase.LEADING)
							? on(next, new ElectionEvent.Settled(state.term().number(), false), how.since()) : next;
				}

			};
		}

	},

	/** S9: What is held and not led is kept. */
	KEEPS_WHAT_IT_DOES_NOT_LEAD(Invariant.I4) {

		@Override
		public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(id, timing, sessions) {

				@Override
				public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
					return state.isIn(TermState.Phase.STOPPING) ? null : super.next(state, holder, now);
				}

			};
		}

	},

	/** S4: The time counts from the last look, not from the first. */
	EXPIRY_FROM_THE_LAST_LOOK(Invariant.I4) {

		@Override
		public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(id, timing, numbers) {

				@Override
				public Observation observe(@Nullable Observation before, @Nullable Session seen, Moment now,
						Duration headStart) {
					Observation observed = super.observe(before, seen, now, headStart);
					return new Observation(observed.session(), now.nanos(), observed.freeAt());
				}

			};
		}

	},

	/** What follows from a state is logged before it is done, and tried once. */
	LOGS_BEFORE_IT_ACTS(Invariant.I3) {

		@Override
		ElectionMember member(EngineContext context, String election, ElectionSettings settings,
				ElectionProtocol protocol, OwnSession session, PastElections.@Nullable Past past, Moment now,
				Surroundings surroundings) {
			return new SimulatedMember(context, election, settings, protocol, session, past, now, surroundings) {

				private TermState.Phase phase;

				private boolean broken;

				@Override
				void reconcile() {
					TermState.Phase next = (state().term() != null) ? state().term().phase() : null;
					if (next != this.phase) {
						this.phase = next;
						this.broken = true;
						LoggerFactory.getLogger(ElectionMember.class).info("It is {} now", next);
						this.broken = false;
					}
					if (!this.broken) {
						super.reconcile();
					}
				}

			};
		}

	},

	/** What listeners could not be told at once is not told later. */
	TELLS_LISTENERS_ONCE(Invariant.I3) {

		@Override
		ElectionMember member(EngineContext context, String election, ElectionSettings settings,
				ElectionProtocol protocol, OwnSession session, PastElections.@Nullable Past past, Moment now,
				Surroundings surroundings) {
			return new SimulatedMember(context, election, settings, protocol, session, past, now, surroundings) {

				@Override
				void tell(Consumer<ElectionListener> event) {
					try {
						super.tell(event);
					}
					catch (RuntimeException | Error ex) {
						// It is over and done with.
					}
				}

			};
		}

	},

	/** R3: Clocks differ in their rates by more than the margin covers. */
	CLOCKS_BEYOND_THE_MARGIN(Invariant.I1);

	private final Invariant violates;

	Flaw(Invariant violates) {
		this.violates = violates;
	}

	/** Return which promise it breaks. */
	Invariant violates() {
		return this.violates;
	}

	ElectionMember member(EngineContext context, String election, ElectionSettings settings, ElectionProtocol protocol,
			OwnSession session, PastElections.@Nullable Past past, Moment now, Surroundings surroundings) {
		return new SimulatedMember(context, election, settings, protocol, session, past, now, surroundings);
	}

	/** Return by how many millionths clocks are fast or slow at most. */
	int clockError() {
		return (this == CLOCKS_BEYOND_THE_MARGIN) ? 100_000 : 10_000;
	}

}
