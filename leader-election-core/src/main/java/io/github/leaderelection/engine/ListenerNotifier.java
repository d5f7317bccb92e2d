package io.github.leaderelection.engine;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Tells listeners what happens in an election, one event after the other, and knows which
 * leader they were told of.
 */
final class ListenerNotifier extends SerialExecutor {

	private static final EngineLog log = EngineLog.of(ListenerNotifier.class);

	private final EngineContext context;

	/** The state from which listeners were last told who leads. */
	private @Nullable ElectionState told;

	/** Since when nobody is known to lead, {@code null} while somebody is. */
	private volatile @Nullable Moment leaderlessSince;

	ListenerNotifier(EngineContext context, Moment now) {
		super(context.threads());
		this.context = context;
		this.leaderlessSince = now;
	}

	/**
	 * Tell listeners who leads, if that has changed. If this throws, they are not told
	 * yet.
	 * @param teller tells all listeners
	 */
	// By reference: a part that was not replaced is unchanged, and equals could fail.
	@SuppressWarnings("ReferenceEquality")
	void tellLeader(ElectionState known, Consumer<Consumer<ElectionListener>> teller) {
		ElectionState last = this.told;
		if (last != null && known.observation() == last.observation() && known.term() == last.term()) {
			return;
		}
		String own = this.context.candidateId();
		String before = (last != null) ? last.leader(own) : null;
		String next = known.leader(own);
		boolean news = !Objects.equals(before, next);
		if (news) {
			Moment since = (next == null) ? this.context.now() : null;
			teller.accept((listener) -> listener.onLeaderChanged(known.election(), before, next));
			this.leaderlessSince = since;
		}
		this.told = known;
		if (news) {
			log(last, known, before, next);
		}
		if (known.isPaused() != (last != null && last.isPaused())) {
			logPaused(known);
		}
	}

	/** Log changes of other processes: those of this one are logged where they happen. */
	private void log(@Nullable ElectionState last, ElectionState known, @Nullable String before,
			@Nullable String next) {
		String own = this.context.candidateId();
		if (next != null && !next.equals(own)) {
			log.tell((logger) -> LogLines.about(known.election(), own, logger.atLevel(this.context.level(Level.INFO)))
				.addKeyValue("term", known.highestTerm())
				.log("Following {}, who leads '{}' in term {}{}", StoredText.printable(next), known.election(),
						known.highestTerm(),
						isUnreleased(last, known) ? "; the last leader's heartbeat had stopped" : ""));
		}
		else if (next == null && before != null && !before.equals(own)) {
			log.tell((logger) -> LogLines.about(known.election(), own, logger.atLevel(this.context.level(Level.INFO)))
				.log("Nobody leads '{}' any more; the last leader was {}{}", known.election(),
						StoredText.printable(before), isVacant(known) ? ", which has released the lease" : ""));
		}
	}

	private void logPaused(ElectionState known) {
		String line = known.isPaused() ? "Election '{}' is paused: nobody leads until it is resumed"
				: "Election '{}' is resumed";
		log.tell((logger) -> LogLines
			.about(known.election(), this.context.candidateId(), logger.atLevel(this.context.level(Level.INFO)))
			.log(line, known.election()));
	}

	private static boolean isVacant(ElectionState known) {
		Lease lease = known.presentLease();
		return lease != null && lease.isVacant();
	}

	/** Return whether the lease went from one holder to the other without a release. */
	private boolean isUnreleased(@Nullable ElectionState last, ElectionState known) {
		Lease before = (last != null) ? last.presentLease() : null;
		Lease now = known.presentLease();
		return before != null && now != null && !before.isVacant() && !before.isHeldBy(this.context.candidateId())
				&& now.revision() == before.revision() + 1;
	}

	@Nullable Moment leaderlessSince() {
		return this.leaderlessSince;
	}

	/** Tell all listeners. If this throws, none is told yet. */
	void tell(Consumer<ElectionListener> event) {
		if (!this.context.listeners().isEmpty()) {
			execute(() -> this.context.listeners()
				.forEach((listener) -> SerialExecutor.run(() -> event.accept(listener))));
		}
	}

	/**
	 * Return a future that completes when listeners have been told of all that has
	 * happened so far.
	 * @return completed by the thread that has told them
	 */
	CompletableFuture<Void> allTold() {
		CompletableFuture<Void> told = new CompletableFuture<>();
		execute(() -> told.complete(null));
		return told;
	}

}
