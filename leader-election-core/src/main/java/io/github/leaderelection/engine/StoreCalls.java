package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.leaderelection.engine.ElectionProtocol.Transition;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.slf4j.event.Level;

/**
 * Makes the calls of a store, each for all elections that want the same, and passes the
 * answers on to the protocol of each.
 */
final class StoreCalls {

	private static final EngineLog log = EngineLog.of(StoreCalls.class);

	private final Elections elections;

	private final EngineContext context;

	private final LeaseStore store;

	StoreCalls(Elections elections, EngineContext context) {
		this.elections = elections;
		this.context = context;
		this.store = context.store();
	}

	/** Tell that this process lives, or find out whether it may go on to. */
	StoreCall keepAlive(OwnSession own, SessionIntent intent, Collection<Participation> concerned, Duration timeout,
			Moment now) {
		own.sending(intent, now);
		return call(now, StoreOperation.RENEW, concerned, () -> {
			if (intent instanceof SessionIntent.Create create) {
				boolean done = this.store.create(create.first(), timeout);
				return (then) -> own.created(done, then);
			}
			if (intent instanceof SessionIntent.Renew renew) {
				boolean done = this.store.renew(renew.renewed(), timeout);
				return (then) -> this.elections.renewed(own, done, now, then);
			}
			String id = ((SessionIntent.Read) intent).id();
			SessionReading reading = this.store.sessions(Set.of(id), false, timeout);
			return (then) -> this.elections.read(own, reading.sessions().get(id), now, then);
		}, own::failed);
	}

	/** Say that this process lives no more. */
	StoreCall close(Session own, Duration timeout, Moment now) {
		return call(now, StoreOperation.CLOSE, List.of(), () -> {
			this.store.close(own, timeout);
			return (then) -> {
			};
		}, (then) -> {
		});
	}

	/**
	 * Look at the sessions of others.
	 * @param others whether to look at those, too, that hold nothing of interest
	 */
	StoreCall watch(Set<String> ids, boolean others, Collection<Participation> concerned, Duration timeout,
			Moment now) {
		return call(now, StoreOperation.WATCH, concerned, () -> {
			SessionReading reading = this.store.sessions(ids, others, timeout);
			return (then) -> this.elections.watched(ids, others, reading, now, then);
		}, this.elections.sessions()::lookFailed);
	}

	/** Create a tombstone for another process, which has no session. */
	StoreCall bury(Session tombstone, Collection<Participation> concerned, Duration timeout, Moment now) {
		Sessions sessions = this.elections.sessions();
		return leaseCall(now, StoreOperation.BURY, concerned, () -> {
			boolean done = this.store.create(tombstone, timeout);
			return (then) -> {
				if (done) {
					sessions.buried(tombstone, then);
				}
				else {
					sessions.burialRefused(tombstone.id(), then);
				}
			};
		}, (each) -> ElectionProtocol::callFailed);
	}

	/** End the session of another process. */
	StoreCall expire(Session silent, Collection<Participation> concerned, Duration timeout, Moment now) {
		return leaseCall(now, StoreOperation.EXPIRE, concerned, () -> {
			boolean done = this.store.expire(silent, timeout);
			return (then) -> {
				expired(silent, done, then);
				if (done) {
					logSilent(silent, names(concerned));
				}
			};
		}, (each) -> ElectionProtocol::callFailed);
	}

	private void expired(Session seen, boolean done, Moment now) {
		if (done) {
			this.elections.sessions().expired(seen, now);
		}
		else {
			this.elections.sessions().expiryRefused(seen, now);
		}
	}

	private void logSilent(Session silent, Set<String> elections) {
		log.tell((logger) -> logger.atLevel(this.context.level(Level.INFO))
			.addKeyValue("candidate", this.context.candidateId())
			.log("No heartbeat for {} from {}, which has crashed, is stopped or is cut off: {} can be taken over",
					ReadableDuration.exact(silent.ttl()), StoredText.printable(silent.candidate()),
					LogLines.elections(elections)));
	}

	/** End a session that nobody waits for. */
	StoreCall tidyUp(Session abandoned, Duration timeout, Moment now) {
		return call(now, StoreOperation.EXPIRE, List.of(), () -> {
			boolean done = this.store.expire(abandoned, timeout);
			return (then) -> expired(abandoned, done, then);
		}, (then) -> expired(abandoned, false, then));
	}

	/** Read the leases of these elections. */
	StoreCall read(Collection<Participation> watched, Duration timeout, Moment now) {
		List<Lease> known = (watched.size() > LeaseStore.FEW) ? known(watched) : List.of();
		return leaseCall(now, StoreOperation.READ, watched, () -> {
			LeaseReading reading = this.store.read(names(watched), known, timeout);
			boolean pushed = this.elections.isPushed();
			return (then) -> Suppressed.forEach(watched,
					(participation) -> looked(participation, reading, now, pushed, then));
		}, (each) -> ElectionProtocol::callFailed);
	}

	/** Return all that is known of what the holders of these leases hold. */
	private List<Lease> known(Collection<Participation> watched) {
		Set<String> holders = known(watched.stream()).map(Lease::holder).collect(Collectors.toSet());
		return known(this.elections.all().stream()).filter((lease) -> holders.contains(lease.holder())).toList();
	}

	private static Stream<Lease> known(Stream<Participation> participations) {
		return participations.map((each) -> each.state().heldLease()).filter(Objects::nonNull);
	}

	private void looked(Participation participation, LeaseReading reading, Moment sentAt, boolean pushed, Moment now) {
		String election = participation.state().election();
		Lease lease = reading.leases().get(election);
		String damage = reading.damaged().get(election);
		participation.observation().observed(now);
		if (damage == null && lease != null) {
			damage = participation.protocol().flaw(participation.state(), lease);
		}
		if (damage != null) {
			this.elections.move(participation, (protocol, state, then) -> protocol.lookedAtDamage(state, pushed, then),
					now);
			participation.damage().found(damage, now);
		}
		else {
			this.elections.move(participation,
					(protocol, state, then) -> protocol.looked(state, lease, sentAt, pushed, then), now);
			participation.damage().gone();
			this.elections.heed(participation, lease, sentAt, now);
		}
	}

	/** Give back the leases of these elections. */
	StoreCall release(Map<Participation, Intent.Release> intents, Duration timeout, Moment now) {
		List<LeaseRelease> releases = intents.values()
			.stream()
			.map((intent) -> new LeaseRelease(intent.expected(), intent.successor()))
			.toList();
		return leaseCall(now, StoreOperation.RELEASE, intents.keySet(), () -> {
			Set<String> released = this.store.release(releases, timeout);
			return (then) -> Suppressed.forEach(intents.entrySet(), (entry) -> {
				Participation participation = entry.getKey();
				Intent.Release intent = entry.getValue();
				if (!released.contains(intent.expected().election())) {
					this.elections.move(participation,
							(protocol, state, at) -> protocol.releaseRefused(state, intent.expected(), at), then);
					return;
				}
				TermState before = participation.state().term();
				this.elections.move(participation,
						(protocol, state, at) -> protocol.released(state, intent.expected(), intent.successor(), at),
						then);
				if (before != null && !before.isOpen() && before.lease().isSameRevisionAs(intent.expected())) {
					logReleased(before);
				}
			});
		}, (each) -> ElectionProtocol::callFailed);
	}

	private void logReleased(TermState term) {
		String election = term.lease().election();
		log.tell((logger) -> LogLines
			.about(election, this.context.candidateId(), logger.atLevel(this.context.level(Level.INFO)))
			.addKeyValue("term", term.number())
			.log("Released '{}', term {}: others can lead at once", election, term.number()));
	}

	/** Take the leases of these elections. */
	StoreCall take(Map<Participation, Intent.Take> intents, Duration timeout, Moment now) {
		List<LeaseTaking> takings = new ArrayList<>();
		intents.forEach((participation, intent) -> takings
			.add(LeaseTaking.of(intent.expected(), participation.session().current(), intent.term())));
		return leaseCall(now, StoreOperation.TAKE, intents.keySet(), () -> {
			Map<String, Lease> taken = this.store.take(takings, timeout);
			names(intents.keySet()).forEach((election) -> this.context.observers()
				.fire((observer) -> observer.onTakeover(election, taken.containsKey(election))));
			return (then) -> Suppressed.forEach(intents.entrySet(), (entry) -> {
				Participation participation = entry.getKey();
				Lease lease = taken.get(participation.state().election());
				Transition answer = (lease != null) ? taken(participation.session(), lease, now, then)
						: refused(entry.getValue());
				this.elections.move(participation, answer, then);
			});
		}, (each) -> {
			Lease expected = Objects.requireNonNull(intents.get(each)).expected();
			return (protocol, state, then) -> protocol.takeFailed(state, expected, then);
		});
	}

	private static Transition taken(OwnSession session, Lease lease, Moment sentAt, Moment now) {
		Belief belief = session.belief();
		boolean alive = belief != null && belief.session() == lease.session();
		session.hurry(now);
		return (protocol, state, then) -> protocol.taken(state, lease, alive, sentAt, then);
	}

	private static Transition refused(Intent.Take intent) {
		return (protocol, state, now) -> protocol.takeRefused(state, intent.expected(), now);
	}

	/** Create the leases of these elections. */
	StoreCall create(Map<Participation, Intent.Create> intents, Duration timeout, Moment now) {
		List<Lease> vacant = new ArrayList<>();
		intents.forEach((participation, intent) -> vacant.add(Lease.vacant(participation.state().election(),
				intent.term(), 0, participation.protocol().settings().ttl())));
		return leaseCall(now, StoreOperation.CREATE, intents.keySet(), () -> {
			Set<String> created = this.store.create(vacant, timeout);
			return (then) -> Suppressed.forEach(intents.keySet(),
					(each) -> this.elections.move(each, created.contains(each.state().election())
							? ElectionProtocol::created : ElectionProtocol::createRefused, then));
		}, (each) -> ElectionProtocol::callFailed);
	}

	private StoreCall leaseCall(Moment now, StoreOperation operation, Collection<Participation> concerned,
			Supplier<Consumer<Moment>> request, Function<Participation, Transition> failure) {
		return call(now, operation, concerned, request, (then) -> Suppressed.forEach(concerned,
				(each) -> this.elections.move(each, failure.apply(each), then)));
	}

	private StoreCall call(Moment now, StoreOperation operation, Collection<Participation> concerned,
			Supplier<Consumer<Moment>> request, Consumer<Moment> failure) {
		return new StoreCall(now, operation, names(concerned), () -> {
			Consumer<Moment> reply = request.get();
			return (then) -> this.elections.takeNotice(() -> {
				try {
					reply.accept(then);
				}
				finally {
					concerned.forEach((each) -> answered(each, operation));
				}
			});
		}, (then) -> this.elections.takeNotice(() -> {
			try {
				failure.accept(then);
			}
			finally {
				concerned.forEach((each) -> setBack(each, operation, then));
			}
		}));
	}

	private static void answered(Participation participation, StoreOperation operation) {
		if (operation.isChange()) {
			participation.setbacks().forget();
		}
		participation.attend();
	}

	private static void setBack(Participation participation, StoreOperation failed, Moment now) {
		participation.attend();
		if (failed.isChange()) {
			participation.setbacks().failed(now);
		}
		else {
			participation.setbacks().forget();
		}
	}

	/** Return the names in an order that is the same in each JVM. */
	private static Set<String> names(Collection<Participation> participations) {
		return participations.stream()
			.map((each) -> each.state().election())
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

}
