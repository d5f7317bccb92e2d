package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Ways to break the protocol, each of which a simulation must notice. Those without a
 * method here are flaws of {@link SimulatedMongo} or of the clocks.
 */
enum Flaw {

	/** The protocol as it is. */
	NONE(null),

	/** R5: The leader believes for the whole time to live. */
	NO_MARGIN(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Moment deadline(Moment sentAt) {
					return sentAt.plus(settings.ttl());
				}

			};
		}

	},

	/** R4: The deadline is counted from when the answer came. */
	DEADLINE_FROM_THE_ANSWER(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step taken(ElectionState state, Lease lease, Moment sentAt, Moment now) {
					return super.taken(state, lease, now, now);
				}

				@Override
				Step renewed(ElectionState state, long term, Moment sentAt, Moment now) {
					return super.renewed(state, term, now, now);
				}

			};
		}

	},

	/** R2: A lease has run out when the wall clocks say so. */
	EXPIRY_BY_WALL_CLOCK(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				boolean hasOutlived(Lease lease, Sighting sighting, Moment now) {
					return lease.renewedAt() == null
							|| lease.renewedAt().plus(lease.ttl()).toEpochMilli() <= now.millis();
				}

			};
		}

	},

	/** R2: Each candidate waits for as long as its own leases live. */
	OWN_TTL_INSTEAD_OF_THE_HOLDERS(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				boolean hasOutlived(Lease lease, Sighting sighting, Moment now) {
					return now.nanos() - sighting.since() >= settings.ttl().toNanos();
				}

			};
		}

	},

	/** R1: A lease is taken though it was renewed meanwhile. */
	TAKES_WITHOUT_REVISION(Invariant.I1),

	/** R1: A release does not name whose lease it releases. */
	RELEASES_BY_ID_ALONE(Invariant.I1),

	/** R3: One's own lease is taken again under the term it has. */
	SAME_TERM_FOR_ITS_OWN_LEASE(Invariant.I2) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				@Nullable Intent intent(ElectionState state, Moment now) {
					Intent intent = super.intent(state, now);
					return (intent instanceof Intent.Take take && take.expected().isHeldBy(id))
							? new Intent.Take(take.expected(), take.expected().term()) : intent;
				}

			};
		}

	},

	/** R4: An answer that comes after the deadline makes the term go on. */
	LATE_ANSWER_REVIVES(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step renewed(ElectionState state, long term, Moment sentAt, Moment now) {
					Tenure tenure = state.tenure();
					if (tenure == null || !tenure.deadline().hasComeAt(now)) {
						return super.renewed(state, term, sentAt, now);
					}
					Moment deadline = deadline(now);
					return new Step(state.withTenure(Tenure.begin(term, Tenure.Phase.LEADING, deadline,
							now.plus(settings.renewInterval()).nanos())), new Step.Elected(term, deadline));
				}

			};
		}

	},

	/** R7: A look that shows its own lease makes a leader. */
	BELIEVES_A_READ(Invariant.I1) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step looked(ElectionState state, @Nullable Lease lease, Look look, Moment now) {
					return (lease != null && lease.isHeldBy(id) && state.tenure() == null && state.standing())
							? taken(state, lease, look.sentAt(), now) : super.looked(state, lease, look, now);
				}

			};
		}

	},

	/** R6: Writes are acknowledged by the primary alone. */
	ACKNOWLEDGES_BEFORE_MAJORITY(Invariant.I1),

	/** R11: The lease is released when the gate closes. */
	RELEASES_BEFORE_THE_DRAIN(Invariant.I5) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step resign(ElectionState state, LossReason reason, @Nullable String successor, Moment now) {
					Step step = super.resign(state, reason, successor, now);
					return (step.effect() != null) ? new Step(
							step.state().withTenure(step.state().tenure().release(now.nanos())), step.effect()) : step;
				}

			};
		}

	},

	/** R2: The time counts from the last look, not from the first. */
	EXPIRY_FROM_THE_LAST_LOOK(Invariant.I4) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step looked(ElectionState state, @Nullable Lease lease, Look look, Moment now) {
					Step step = super.looked(state, lease, look, now);
					Sighting sighting = step.state().sighting();
					return Step
						.to(step.state().withSighting(new Sighting(sighting.kind(), sighting.lease(), now.nanos())));
				}

			};
		}

	},

	/** R9: Where takings are pushed, renewals are not looked for in time. */
	LOOKS_TOO_LATE(Invariant.I4) {

		@Override
		ElectionProtocol protocol(String id, ElectionSettings settings) {
			return new ElectionProtocol(id, settings) {

				@Override
				Step looked(ElectionState state, @Nullable Lease lease, Look look, Moment now) {
					Step step = super.looked(state, lease, look, now);
					Duration late = look.pushed() ? settings.pollInterval() : Duration.ZERO;
					return Step.to(step.state().lookAt(step.state().nextLook() + late.toNanos()));
				}

			};
		}

	},

	/** What follows from a step is logged before it is done, and tried once. */
	LOGS_BEFORE_IT_ACTS(Invariant.I3) {

		@Override
		Participation participation(Elections elections, String election, ElectionProtocol protocol, Moment now,
				Surroundings surroundings) {
			return new SimulatedParticipation(elections, election, protocol, now, surroundings) {

				private Tenure.Phase phase;

				private boolean broken;

				@Override
				void fulfil() {
					Tenure.Phase next = (state().tenure() != null) ? state().tenure().phase() : null;
					if (next != this.phase) {
						this.phase = next;
						this.broken = true;
						LoggerFactory.getLogger(Participation.class).info("It is {} now", next);
						this.broken = false;
					}
					if (!this.broken) {
						super.fulfil();
					}
				}

			};
		}

	},

	/** What listeners could not be told at once is not told later. */
	TELLS_LISTENERS_ONCE(Invariant.I3) {

		@Override
		Participation participation(Elections elections, String election, ElectionProtocol protocol, Moment now,
				Surroundings surroundings) {
			return new SimulatedParticipation(elections, election, protocol, now, surroundings) {

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

	/** R5: Clocks differ in their rates by more than the margin covers. */
	CLOCKS_BEYOND_THE_MARGIN(Invariant.I1);

	private final Invariant violates;

	Flaw(Invariant violates) {
		this.violates = violates;
	}

	/** Return which promise it breaks. */
	Invariant violates() {
		return this.violates;
	}

	ElectionProtocol protocol(String id, ElectionSettings settings) {
		return new ElectionProtocol(id, settings);
	}

	Participation participation(Elections elections, String election, ElectionProtocol protocol, Moment now,
			Surroundings surroundings) {
		return new SimulatedParticipation(elections, election, protocol, now, surroundings);
	}

	/** Return by how many millionths clocks are fast or slow at most. */
	int clockError() {
		return (this == CLOCKS_BEYOND_THE_MARGIN) ? 100_000 : 10_000;
	}

}
