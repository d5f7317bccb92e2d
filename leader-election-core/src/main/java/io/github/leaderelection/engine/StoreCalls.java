package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.StoredText;
import org.slf4j.event.Level;

/**
 * Creates the store calls. Elections that want the same share one call, and the protocol
 * of each is told the answer.
 */
final class StoreCalls {

	private static final EngineLog log = EngineLog.of(StoreCalls.class);

	private final ElectionRegistry registry;

	private final Answers answers;

	private final EngineContext context;

	private final LeaseStore store;

	StoreCalls(ElectionRegistry registry, Answers answers) {
		this.registry = registry;
		this.answers = answers;
		this.context = registry.context();
		this.store = this.context.store();
	}

	// Sessions

	/**
	 * Insert or renew a session of this process, or read it if the last renewal was
	 * refused.
	 */
	StoreCall keepAlive(OwnSession own, SessionState.Phase phase, Collection<ElectionMember> concerned,
			Duration timeout, Moment now) {
		Session session = own.current();
		if (phase != SessionState.Phase.UNCLEAR) {
			own.sending(now);
		}
		return call(now, StoreOperation.RENEW, concerned, () -> switch (phase) {
			case NEW -> {
				boolean done = this.store.create(session.renewed(), timeout);
				yield (then) -> own.inserted(done, then);
			}
			case ALIVE -> {
				boolean done = this.store.renew(session.renewed(), timeout);
				yield (then) -> this.answers.renewed(own, done, now, then);
			}
			case UNCLEAR -> {
				SessionReading reading = this.store.sessions(Set.of(session.id()), false, timeout);
				yield (then) -> this.answers.shown(own, reading.sessions().get(session.id()), now, then);
			}
		}, (then) -> {
			own.unanswered(then);
			this.answers.unhinder(concerned, then);
		});
	}

	/** Remove a session of this process, which is closing or does not need it for now. */
	StoreCall close(Session own, Duration timeout, Moment now) {
		return call(now, StoreOperation.CLOSE, List.of(), () -> {
			this.store.close(own, timeout);
			return (then) -> {
			};
		}, (then) -> {
		});
	}

	/**
	 * Read the sessions of others.
	 * @param ids the sessions that hold leases this process waits for
	 * @param all whether to read the sessions that hold nothing of interest as well
	 */
	StoreCall readSessions(Set<String> ids, boolean all, Collection<ElectionMember> concerned, Duration timeout,
			Moment now) {
		return call(now, StoreOperation.WATCH, concerned, () -> {
			SessionReading reading = this.store.sessions(ids, all, timeout);
			return (then) -> this.answers.sessionsRead(ids, all, reading, now, then);
		}, (then) -> {
			this.registry.sessions().lookFailed(then);
			this.answers.unhinder(concerned, then);
		});
	}

	/** Insert a tombstone in place of the missing session of another process. */
	StoreCall bury(Session tombstone, Map<ElectionMember, ? extends Command> concerned, Duration timeout, Moment now) {
		return leaseCall(now, StoreOperation.BURY, concerned, () -> {
			boolean done = this.store.create(tombstone, timeout);
			return (then) -> {
				this.registry.sessions().buried(tombstone, done, then);
				concerned.keySet().forEach((each) -> each.on(ElectionEvent.unhindered(), then));
			};
		});
	}

	/** End the session of another process. */
	StoreCall expire(Session silent, Map<ElectionMember, ? extends Command> concerned, Duration timeout, Moment now) {
		return leaseCall(now, StoreOperation.EXPIRE, concerned, () -> {
			boolean done = this.store.expire(silent, timeout);
			return (then) -> {
				this.registry.sessions().expired(silent, done, then);
				if (done) {
					logSilent(silent, names(concerned.keySet()));
				}
			};
		});
	}

	private void logSilent(Session silent, Set<String> elections) {
		log.tell((logger) -> logger.atLevel(this.context.level(Level.INFO))
			.addKeyValue("candidate", this.context.candidateId())
			.log("No heartbeat for {} from {}, which has crashed, is stopped or can't reach the store: {} can be taken over",
					ReadableDuration.exact(silent.ttl()), StoredText.printable(silent.candidate()),
					LogLines.elections(elections)));
	}

	/** End an abandoned session, which no election of this process waits for. */
	StoreCall tidyUp(Session abandoned, Duration timeout, Moment now) {
		Sessions sessions = this.registry.sessions();
		return call(now, StoreOperation.EXPIRE, List.of(), () -> {
			boolean done = this.store.expire(abandoned, timeout);
			return (then) -> sessions.expired(abandoned, done, then);
		}, (then) -> sessions.expired(abandoned, false, then));
	}

	// Leases

	/** Read the leases of these elections. */
	StoreCall read(Map<ElectionMember, Command.ReadLease> concerned, Duration timeout, Moment now) {
		Set<ElectionMember> members = concerned.keySet();
		List<Lease> known = (members.size() > LeaseStore.FEW) ? known(members) : List.of();
		Map<ElectionMember, Long> planned = new LinkedHashMap<>();
		members.forEach((member) -> planned.put(member, member.state().nextRead()));
		// Push counts only if it is on throughout the read: otherwise a change could be
		// missed.
		boolean pushed = this.answers.isPushed();
		return leaseCall(now, StoreOperation.READ, concerned, () -> {
			LeaseReading reading = this.store.read(names(members), known, timeout);
			return (then) -> Suppressed.forEach(planned.entrySet(), (entry) -> {
				ElectionMember member = entry.getKey();
				long wanted = member.state().nextRead();
				read(member, reading, now, pushed && this.answers.isPushed(), then);
				if (wanted != entry.getValue()) {
					// Another read was requested while this one was under way.
					member.on(ElectionEvent.hintedBy(wanted), then);
				}
			});
		});
	}

	/**
	 * Return the known leases of all holders of the given leases, as
	 * {@link LeaseStore#read} requires. A holder whose session has ended is left out,
	 * since it loses its leases soon.
	 */
	private List<Lease> known(Collection<ElectionMember> concerned) {
		Set<String> holders = known(concerned.stream()).filter((lease) -> !this.registry.sessions().hasEnded(lease))
			.map(Lease::holder)
			.collect(Collectors.toSet());
		return known(this.registry.all().stream()).filter((lease) -> holders.contains(lease.holder())).toList();
	}

	private static Stream<Lease> known(Stream<ElectionMember> members) {
		return members.map((each) -> each.state().heldLease()).filter(Objects::nonNull);
	}

	private void read(ElectionMember member, LeaseReading reading, Moment sentAt, boolean pushed, Moment now) {
		Lease lease = reading.leases().get(member.election());
		String damage = reading.damaged().get(member.election());
		member.freshness().observed(now);
		if (damage == null && lease != null) {
			damage = member.protocol().flaw(member.state(), lease);
		}
		if (damage != null) {
			member.on(ElectionEvent.readDamage(sentAt, pushed), now);
			if (member.state().isDamaged()) {
				damaged(member, StoredText.printable(damage));
			}
		}
		else {
			member.on(ElectionEvent.read(lease, sentAt, pushed), now);
			member.damage().ends();
		}
	}

	private void damaged(ElectionMember member, String damage) {
		if (member.damage().begins(damage)) {
			log.tell((logger) -> LogLines.about(member.election(), this.context.candidateId(), logger.atError())
				.log("The stored lease of election '{}' is damaged: {}. Nobody can be elected until it is repaired "
						+ "or removed; other elections go on", member.election(), damage));
		}
	}

	/** Give back the leases of these elections. */
	StoreCall release(Map<ElectionMember, Command.Release> commands, Duration timeout, Moment now) {
		List<Lease> vacant = commands.values()
			.stream()
			.map((command) -> command.expected().released(command.successor()))
			.toList();
		return leaseCall(now, StoreOperation.RELEASE, commands, () -> {
			Set<String> released = this.store.release(vacant, timeout);
			return (then) -> Suppressed.forEach(commands.entrySet(), (entry) -> released(entry.getKey(),
					entry.getValue(), released.contains(entry.getKey().election()), then));
		});
	}

	private void released(ElectionMember member, Command.Release command, boolean done, Moment now) {
		Lease expected = command.expected();
		TermState before = member.state().term();
		member.on(done ? ElectionEvent.released(expected, command.successor()) : ElectionEvent.releaseRefused(expected),
				now);
		if (done && before != null && !before.isOpen() && before.lease().isSameRevisionAs(expected)) {
			String then = member.state().isPaused() ? "nobody leads until the election is resumed"
					: "others can lead at once";
			log.tell((logger) -> LogLines
				.about(member.election(), this.context.candidateId(), logger.atLevel(this.context.level(Level.INFO)))
				.addKeyValue("term", before.number())
				.log("Released '{}', term {}: {}", member.election(), before.number(), then));
		}
	}

	/** Take the leases of these elections. */
	StoreCall take(Map<ElectionMember, Command.Take> commands, Duration timeout, Moment now) {
		List<Lease> claims = new ArrayList<>();
		commands.forEach(
				(member, command) -> claims.add(command.expected().taken(member.session().current(), command.term())));
		return leaseCall(now, StoreOperation.TAKE, commands, () -> {
			Map<String, Lease> taken = this.store.take(claims, timeout);
			names(commands.keySet()).forEach((election) -> this.context.observers()
				.fire((observer) -> observer.onTakeover(election, taken.containsKey(election))));
			return (then) -> Suppressed.forEach(commands.entrySet(), (entry) -> {
				ElectionMember member = entry.getKey();
				Lease lease = taken.get(member.election());
				if (lease == null) {
					member.on(ElectionEvent.takeRefused(entry.getValue().expected()), then);
					return;
				}
				boolean valid = member.session().valid(lease) != null;
				member.session().needed(then);
				member.on(ElectionEvent.taken(lease, valid, now), then);
			});
		});
	}

	/** Create the leases of these elections. */
	StoreCall create(Map<ElectionMember, Command.Create> commands, Duration timeout, Moment now) {
		List<Lease> vacant = new ArrayList<>();
		commands.forEach((member, command) -> vacant
			.add(Lease.vacant(member.election(), command.term(), 0, member.settings().ttl())));
		return leaseCall(now, StoreOperation.CREATE, commands, () -> {
			Set<String> created = this.store.create(vacant, timeout);
			return (then) -> Suppressed.forEach(commands.keySet(),
					(each) -> each.on(ElectionEvent.created(created.contains(each.election())), then));
		});
	}

	private StoreCall leaseCall(Moment now, StoreOperation operation, Map<ElectionMember, ? extends Command> commands,
			Supplier<Consumer<Moment>> request) {
		return call(now, operation, commands.keySet(), request, (then) -> Suppressed.forEach(commands.entrySet(),
				(each) -> each.getKey().on(ElectionEvent.unanswered(each.getValue()), then)));
	}

	private StoreCall call(Moment now, StoreOperation operation, Collection<ElectionMember> concerned,
			Supplier<Consumer<Moment>> request, Consumer<Moment> failure) {
		return new StoreCall(now, operation, names(concerned), () -> {
			Consumer<Moment> reply = request.get();
			return (then) -> this.registry.takeNotice(concerned, () -> reply.accept(then));
		}, (then) -> this.registry.takeNotice(concerned, () -> failure.accept(then)));
	}

	/** Return the election names in an order that is the same in each JVM. */
	private static Set<String> names(Collection<ElectionMember> members) {
		return members.stream().map(ElectionMember::election).collect(Collectors.toCollection(LinkedHashSet::new));
	}

}
