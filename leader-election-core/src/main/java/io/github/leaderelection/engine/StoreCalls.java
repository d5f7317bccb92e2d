package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;

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

	/** Renew the leases of these elections. */
	StoreCall renew(Collection<Participation> held, Duration timeout, Moment now) {
		Map<LeaseClaim, Participation> claims = new LinkedHashMap<>();
		for (Participation participation : held) {
			Tenure tenure = participation.state().tenure();
			if (tenure != null) {
				claims.put(claim(participation, tenure.term()), participation);
			}
		}
		return call(now, StoreOperation.RENEW, claims.values(), () -> {
			LeaseRenewal renewal = this.store.renew(Set.copyOf(claims.keySet()), timeout);
			return (sentAt, then) -> forEach(claims.entrySet(), (each) -> {
				LeaseClaim claim = each.getKey();
				Participation participation = each.getValue();
				ElectionProtocol protocol = participation.protocol();
				ElectionState state = participation.state();
				participation.observed(then);
				if (renewal.renewed().contains(claim)) {
					apply(participation, protocol.renewed(state, claim.term(), sentAt, then), then);
				}
				else if (renewal.refused().contains(claim)) {
					apply(participation, protocol.renewalRefused(state, claim.term(), then), then);
				}
				else {
					apply(participation, protocol.callFailed(state, then), then);
				}
				participation.expectNext(then);
			});
		});
	}

	/** Look at the leases of these elections. */
	StoreCall look(Collection<Participation> watched, Duration timeout, Moment now) {
		return call(now, StoreOperation.READ, watched, () -> {
			LeaseReading reading = this.store.read(names(watched), timeout);
			return (sentAt, then) -> {
				Look look = new Look(sentAt, reading.readAt(), this.elections.isPushed());
				forEach(watched, (participation) -> looked(participation, reading, look, then));
			};
		});
	}

	private void looked(Participation participation, LeaseReading reading, Look look, Moment now) {
		ElectionState state = participation.state();
		ElectionProtocol protocol = participation.protocol();
		participation.observed(now);
		Lease lease = reading.leases().get(state.election());
		String damage = reading.damaged().get(state.election());
		if (damage == null && lease != null) {
			damage = protocol.flaw(state, lease);
		}
		if (damage != null) {
			apply(participation, protocol.lookedAtDamage(state, look, now), now);
			participation.damage().found(damage, now);
		}
		else {
			apply(participation, protocol.looked(state, lease, look, now), now);
			participation.damage().gone();
		}
		participation.expectNext(now);
	}

	/** Give back the leases of these elections. */
	StoreCall release(Map<Participation, Intent.Release> intents, Duration timeout, Moment now) {
		List<LeaseRelease> releases = new ArrayList<>();
		intents.forEach((participation, intent) -> releases
			.add(new LeaseRelease(claim(participation, intent.term()), intent.successor())));
		return call(now, StoreOperation.RELEASE, intents.keySet(), () -> {
			this.store.release(releases, timeout);
			return (sentAt, then) -> forEach(intents.entrySet(), (entry) -> apply(entry.getKey(),
					entry.getKey().protocol().released(entry.getKey().state(), entry.getValue().term(), then), then));
		});
	}

	/** Take the leases of these elections. */
	StoreCall take(Map<Participation, Intent.Take> intents, Duration timeout, Moment now) {
		List<LeaseTaking> takings = new ArrayList<>();
		intents.forEach((participation, intent) -> takings.add(new LeaseTaking(intent.expected(),
				claim(participation, intent.term()), participation.protocol().settings().ttl())));
		return call(now, StoreOperation.TAKE, intents.keySet(), () -> {
			Map<String, Lease> taken = this.store.take(takings, timeout);
			names(intents.keySet())
				.forEach((election) -> this.elections.observers().takeover(election, taken.containsKey(election)));
			return (sentAt, then) -> forEach(intents.entrySet(), (entry) -> {
				Participation participation = entry.getKey();
				ElectionProtocol protocol = participation.protocol();
				ElectionState state = participation.state();
				Lease lease = taken.get(state.election());
				apply(participation, (lease != null) ? protocol.taken(state, lease, sentAt, then)
						: protocol.takeRefused(state, entry.getValue().expected(), then), then);
			});
		});
	}

	/** Create the leases of these elections. */
	StoreCall create(Map<Participation, Intent.Create> intents, Duration timeout, Moment now) {
		List<Lease> vacant = new ArrayList<>();
		intents.forEach((participation, intent) -> vacant.add(new Lease(participation.state().election(), null,
				intent.term(), 0, participation.protocol().settings().ttl(), null, null)));
		return call(now, StoreOperation.CREATE, intents.keySet(), () -> {
			Set<String> created = this.store.create(vacant, timeout);
			return (sentAt, then) -> forEach(intents.keySet(), (participation) -> {
				ElectionProtocol protocol = participation.protocol();
				ElectionState state = participation.state();
				apply(participation, created.contains(state.election()) ? protocol.created(state, then)
						: protocol.createRefused(state, then), then);
			});
		});
	}

	private StoreCall call(Moment now, StoreOperation operation, Collection<Participation> concerned,
			Supplier<StoreCall.Reply> request) {
		return new StoreCall(now, operation, names(concerned), () -> {
			StoreCall.Reply reply = request.get();
			return (sentAt, then) -> this.elections.settle(() -> reply.accept(sentAt, then));
		}, (then) -> this.elections.settle(
				() -> forEach(concerned, (each) -> apply(each, each.protocol().callFailed(each.state(), then), then))));
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

	private LeaseClaim claim(Participation participation, long term) {
		return new LeaseClaim(participation.state().election(), this.elections.candidateId(), term);
	}

	private static Set<String> names(Collection<Participation> participations) {
		return participations.stream().map((each) -> each.state().election()).collect(Collectors.toUnmodifiableSet());
	}

}
