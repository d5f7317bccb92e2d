package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Handles what is learned from the store: turns each answer, and each pushed change, into
 * events for the elections of this process.
 */
final class Answers {

	private final EngineContext context;

	private final ElectionRegistry registry;

	private final Sessions sessions;

	/** Returns the candidates that have announced themselves. */
	private final Supplier<List<CandidateRecord>> directory;

	private volatile boolean pushed;

	/** Until when further unclear changes do not cause a read at once; monotonic time. */
	private long nextUnclear;

	Answers(ElectionRegistry registry, Supplier<List<CandidateRecord>> directory) {
		this.context = registry.context();
		this.registry = registry;
		this.sessions = registry.sessions();
		this.directory = directory;
		this.nextUnclear = this.context.now().nanos();
	}

	// Pushed changes. These methods take the lock of the registry.

	/**
	 * Changes are pushed from now on, or no longer: read all leases once, including those
	 * held by this process. The removal of a lease may have been missed, or may be what
	 * ended the watch.
	 */
	void setPushed(boolean pushed) {
		synchronized (this.registry) {
			this.pushed = pushed;
			forEach(ElectionEvent.doubted());
		}
	}

	boolean isPushed() {
		return this.pushed;
	}

	/** A change of a lease was pushed. */
	void pushed(Lease lease) {
		synchronized (this.registry) {
			ElectionMember member = this.registry.find(lease.election());
			if (member != null && member.protocol().flaw(member.state(), lease) != null) {
				pushedUnclear();
			}
			else if (member != null) {
				Moment now = this.context.now();
				member.freshness().observed(now);
				member.on(ElectionEvent.pushed(lease, this.pushed), now);
				if (!member.state().isDamaged()) {
					member.damage().ends();
				}
				this.context.wake().run();
			}
		}
	}

	/** The removal of a lease was pushed. */
	void pushedRemoval(String election) {
		synchronized (this.registry) {
			ElectionMember member = this.registry.find(election);
			if (member != null) {
				member.on(ElectionEvent.doubted(), this.context.now());
				this.context.wake().run();
			}
		}
	}

	/**
	 * A change was pushed that can't be understood, and may concern any lease: read all
	 * leases at once, but not repeatedly if there are many such changes.
	 */
	void pushedUnclear() {
		synchronized (this.registry) {
			Moment now = this.context.now();
			boolean soon = !now.isDue(this.nextUnclear);
			if (!soon) {
				Duration pause = this.registry.all()
					.stream()
					.map((member) -> member.settings().pollInterval())
					.min(Comparator.naturalOrder())
					.orElse(Duration.ofSeconds(1));
				this.nextUnclear = now.plus(pause).nanos();
			}
			forEach(soon ? ElectionEvent.hintedBy(this.nextUnclear) : ElectionEvent.hinted());
		}
	}

	private void forEach(ElectionEvent event) {
		Moment now = this.context.now();
		this.registry.all().forEach((member) -> member.on(event, now));
		this.context.wake().run();
	}

	// Answers to calls. These methods are called under the lock of the registry.

	/** The renewal of an own session was answered. */
	void renewed(OwnSession own, boolean done, Moment sentAt, Moment now) {
		own.renewed(done, interval(own, sentAt), now);
		if (done) {
			vouchedFor(own, (member) -> member.freshness().observed(now));
		}
	}

	/** An own session was read. */
	void shown(OwnSession own, @Nullable Session stored, Moment sentAt, Moment now) {
		boolean goesOn = own.shown(stored, interval(own, sentAt), now);
		vouchedFor(own, (member) -> {
			member.freshness().observed(now);
			if (!goesOn) {
				long number = Objects.requireNonNull(member.state().term()).number();
				member.on(ElectionEvent.ended(number, LossReason.TAKEN_OVER), now);
			}
		});
	}

	private Duration interval(OwnSession own, Moment sentAt) {
		return this.sessions.interval(own, own.isVouching(), sentAt);
	}

	private void vouchedFor(OwnSession own, Consumer<ElectionMember> action) {
		Suppressed.forEach(this.registry.all(), (member) -> {
			if (member.session() == own && member.state().isVouchedFor()) {
				action.accept(member);
			}
		});
	}

	/** The sessions of others were read. */
	void sessionsRead(Set<String> ids, boolean all, SessionReading reading, Moment sentAt, Moment now) {
		this.sessions.looked(ids, all, reading, sentAt, now);
		if (all) {
			lookForSpares(now);
		}
		Suppressed.forEach(this.registry.all(), (member) -> {
			member.freshness().observed(now);
			Observation holder = this.registry.holder(member.state());
			if (member.state().backoff().failures() > 0 && this.registry.isHeldElsewhere(member, now)) {
				// There is nothing to change now that could fail again.
				member.on(ElectionEvent.unhindered(), now);
			}
			if (holder != null && !now.isDue(holder.freeAt())) {
				// The process that ended the session has taken the lease by then, with
				// many others.
				member.on(ElectionEvent.hintedBy(holder.freeAt()), now);
			}
		});
	}

	/** The last failure was not about the leases of these elections. */
	void unhinder(Collection<ElectionMember> concerned, Moment now) {
		Suppressed.forEach(concerned, (member) -> {
			if (member.state().backoff().failures() > 0) {
				member.on(ElectionEvent.unhindered(), now);
			}
		});
	}

	/**
	 * Find out, for each own session, whether a candidate with a smaller id is ready to
	 * take over in all elections that go by this session. One such candidate is enough.
	 */
	private void lookForSpares(Moment now) {
		Set<String> held = this.registry.holders();
		for (OwnSession own : this.sessions.own()) {
			Duration ttl = own.protocol().timing().ttl();
			List<String> stood = this.registry.all()
				.stream()
				.filter((member) -> member.session() == own && member.state().stands())
				.map(ElectionMember::election)
				.toList();
			own.spared(!own.isVouching() && this.directory.get()
				.stream()
				.filter((each) -> each.id().compareTo(this.context.candidateId()) < 0)
				.filter((each) -> this.sessions.isIdle(each.id(), ttl, held, now))
				.anyMatch((each) -> stood.stream().allMatch(each::isReadyFor)));
		}
	}

}
