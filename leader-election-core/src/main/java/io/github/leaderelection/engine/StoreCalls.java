package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a store, each for all elections that want the same, and passes the
 * answers on to the protocol of each.
 */
final class StoreCalls {

	private final Elections elections;

	private final LeaseStore store;

	StoreCalls(Elections elections, LeaseStore store) {
		this.elections = elections;
		this.store = store;
	}

	/** Tell that this process lives, or find out whether it may go on to. */
	StoreCall beat(OwnHeartbeat own, HeartbeatIntent intent, Collection<Participation> concerned, Duration timeout,
			Moment now) {
		own.sending(intent);
		Set<String> names = names(concerned);
		if (intent instanceof HeartbeatIntent.Enter enter) {
			return call(now, StoreOperation.BEAT, names, () -> {
				boolean done = this.store.enter(enter.first(), timeout);
				return (sentAt, then) -> own.entered(done, sentAt, then);
			}, own::failed);
		}
		if (intent instanceof HeartbeatIntent.Raise raise) {
			return call(now, StoreOperation.BEAT, names, () -> {
				boolean done = this.store.end(raise.seen(), raise.epoch(), timeout);
				return (sentAt, then) -> own.raised(done, then);
			}, own::failed);
		}
		if (intent instanceof HeartbeatIntent.Beat beat) {
			return call(now, StoreOperation.BEAT, names, () -> {
				boolean matched = this.store.beat(beat.next(), timeout);
				return (sentAt, then) -> this.elections.beaten(own, matched, sentAt, then);
			}, own::failed);
		}
		String id = own.protocol().id();
		return call(now, StoreOperation.BEAT, names, () -> {
			HeartbeatReading reading = this.store.heartbeats(Set.of(id), timeout);
			return (sentAt, then) -> own.looked(reading.heartbeats().get(id), then);
		}, own::failed);
	}

	/** Say that this process lives no more. */
	StoreCall leave(Heartbeat own, Duration timeout, Moment now) {
		return call(now, StoreOperation.LEAVE, Set.of(), () -> {
			this.store.leave(own, timeout);
			return (sentAt, then) -> {
			};
		}, (then) -> {
		});
	}

	/** Look at the heartbeats of others. */
	StoreCall watch(Set<String> ids, Collection<Participation> concerned, Duration timeout, Moment now) {
		return call(now, StoreOperation.WATCH, names(concerned), () -> {
			HeartbeatReading reading = this.store.heartbeats(ids, timeout);
			return (sentAt, then) -> this.elections.watched(ids, reading, sentAt, then);
		}, this.elections.heartbeats()::lookFailed);
	}

	/** End the epoch of another process. */
	StoreCall end(Intent.End intent, Collection<Participation> concerned, Duration timeout, Moment now) {
		Heartbeats heartbeats = this.elections.heartbeats();
		return call(now, StoreOperation.END, concerned, () -> {
			Heartbeat silent = intent.silent();
			boolean done = (silent != null) ? this.store.end(silent, intent.ended().epoch(), timeout)
					: this.store.enter(intent.ended(), timeout);
			return (sentAt, then) -> {
				if (done) {
					heartbeats.ended(intent.ended(), then);
				}
				else {
					heartbeats.endRefused(intent.ended().id(), silent, then);
				}
			};
		}, (each) -> ElectionProtocol::callFailed);
	}

	/** End the epoch of a process that nobody waits for. */
	StoreCall tidyUp(Heartbeat abandoned, Duration timeout, Moment now) {
		Heartbeats heartbeats = this.elections.heartbeats();
		Heartbeat ended = HeartbeatProtocol.ended(abandoned);
		Consumer<Moment> failure = (then) -> heartbeats.endRefused(abandoned.id(), abandoned, then);
		return call(now, StoreOperation.END, Set.of(), () -> {
			boolean done = this.store.end(abandoned, ended.epoch(), timeout);
			return (sentAt, then) -> {
				if (done) {
					heartbeats.ended(ended, then);
				}
				else {
					failure.accept(then);
				}
			};
		}, failure);
	}

	/** Look at the leases of these elections. */
	StoreCall look(Collection<Participation> watched, Duration timeout, Moment now) {
		return call(now, StoreOperation.READ, watched, () -> {
			LeaseReading reading = this.store.read(names(watched), timeout);
			boolean pushed = this.elections.isPushed();
			return (sentAt, then) -> forEach(watched,
					(participation) -> looked(participation, reading, sentAt, pushed, then));
		}, (each) -> ElectionProtocol::callFailed);
	}

	private void looked(Participation participation, LeaseReading reading, Moment sentAt, boolean pushed, Moment now) {
		ElectionState state = participation.state();
		ElectionProtocol protocol = participation.protocol();
		participation.observed(now);
		Lease lease = reading.leases().get(state.election());
		String damage = reading.damaged().get(state.election());
		if (damage == null && lease != null) {
			damage = protocol.flaw(state, lease);
		}
		if (damage != null) {
			apply(participation, protocol.lookedAtDamage(state, pushed, now), now);
			participation.damage().found(damage, now);
		}
		else {
			apply(participation, protocol.looked(state, lease, sentAt, pushed, now), now);
			participation.damage().gone();
		}
	}

	/** Give back the leases of these elections. */
	StoreCall release(Map<Participation, Intent.Release> intents, Duration timeout, Moment now) {
		List<LeaseRelease> releases = intents.values()
			.stream()
			.map((intent) -> new LeaseRelease(intent.expected(), intent.successor()))
			.toList();
		return call(now, StoreOperation.RELEASE, intents.keySet(), () -> {
			this.store.release(releases, timeout);
			return (sentAt, then) -> forEach(intents.entrySet(), (entry) -> {
				Participation participation = entry.getKey();
				Intent.Release intent = entry.getValue();
				apply(participation, participation.protocol()
					.released(participation.state(), intent.expected(), intent.successor(), then), then);
			});
		}, (each) -> ElectionProtocol::callFailed);
	}

	/** Take the leases of these elections. */
	StoreCall take(Map<Participation, Intent.Take> intents, Duration timeout, Moment now) {
		List<LeaseTaking> takings = new ArrayList<>();
		intents.forEach((participation, intent) -> takings.add(LeaseTaking.of(intent.expected(),
				this.elections.candidateId(), participation.heartbeat().current(), intent.term())));
		return call(now, StoreOperation.TAKE, intents.keySet(), () -> {
			Map<String, Lease> taken = this.store.take(takings, timeout);
			names(intents.keySet())
				.forEach((election) -> this.elections.observers().takeover(election, taken.containsKey(election)));
			return (sentAt, then) -> forEach(intents.entrySet(), (entry) -> {
				Participation participation = entry.getKey();
				Lease lease = taken.get(participation.state().election());
				apply(participation, answered(participation, entry.getValue(), lease, sentAt, then), then);
			});
		}, (each) -> (protocol, state, then) -> protocol.takeFailed(state,
				Objects.requireNonNull(intents.get(each)).expected(), then));
	}

	private static Step answered(Participation participation, Intent.Take intent, @Nullable Lease lease, Moment sentAt,
			Moment now) {
		ElectionProtocol protocol = participation.protocol();
		ElectionState state = participation.state();
		if (lease == null) {
			return protocol.takeRefused(state, intent.expected(), now);
		}
		Belief belief = participation.heartbeat().belief();
		participation.heartbeat().hurry(now);
		return protocol.taken(state, lease, belief != null && belief.epoch() == lease.epoch(), sentAt, now);
	}

	/** Create the leases of these elections. */
	StoreCall create(Map<Participation, Intent.Create> intents, Duration timeout, Moment now) {
		List<Lease> vacant = new ArrayList<>();
		intents.forEach((participation, intent) -> vacant.add(Lease.vacant(participation.state().election(),
				intent.term(), 0, participation.protocol().settings().ttl())));
		return call(now, StoreOperation.CREATE, intents.keySet(), () -> {
			Set<String> created = this.store.create(vacant, timeout);
			return (sentAt, then) -> forEach(intents.keySet(), (participation) -> {
				ElectionProtocol protocol = participation.protocol();
				ElectionState state = participation.state();
				apply(participation, created.contains(state.election()) ? protocol.created(state, then)
						: protocol.createRefused(state, then), then);
			});
		}, (each) -> ElectionProtocol::callFailed);
	}

	private StoreCall call(Moment now, StoreOperation operation, Collection<Participation> concerned,
			Supplier<StoreCall.Reply> request, Function<Participation, Failure> failure) {
		return call(now, operation, names(concerned), request, (then) -> forEach(concerned,
				(each) -> apply(each, failure.apply(each).step(each.protocol(), each.state(), then), then)));
	}

	private StoreCall call(Moment now, StoreOperation operation, Set<String> concerned,
			Supplier<StoreCall.Reply> request, Consumer<Moment> failure) {
		return new StoreCall(now, operation, concerned, () -> {
			StoreCall.Reply reply = request.get();
			return (sentAt, then) -> this.elections.settle(() -> reply.accept(sentAt, then));
		}, (then) -> this.elections.settle(() -> failure.accept(then)));
	}

	/** Let each have its answer, whatever becomes of the others. */
	private static <T> void forEach(Collection<T> all, Consumer<T> action) {
		Throwable failure = null;
		for (T each : all) {
			try {
				action.accept(each);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		Failures.rethrow(failure);
	}

	private void apply(Participation participation, Step step, Moment now) {
		this.elections.apply(participation, step, now);
	}

	private static Set<String> names(Collection<Participation> participations) {
		return participations.stream().map((each) -> each.state().election()).collect(Collectors.toUnmodifiableSet());
	}

	/** What follows when a call has failed. */
	@FunctionalInterface
	private interface Failure {

		Step step(ElectionProtocol protocol, ElectionState state, Moment now);

	}

}
