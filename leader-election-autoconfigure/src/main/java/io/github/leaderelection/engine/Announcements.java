package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Set;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the entry of this process in the {@link CandidateRegistry} up to date: at the
 * start, when the elections change, and now and then as a sign of life.
 */
final class Announcements {

	private static final Logger logger = LoggerFactory.getLogger(Announcements.class);

	static final Duration INTERVAL = Duration.ofSeconds(30);

	private static final Duration LONGEST_CALL = Duration.ofSeconds(2);

	private final CandidateRecord identity;

	private final CandidateRegistry registry;

	private @Nullable Set<String> announced;

	private long next;

	private int failures;

	Announcements(CandidateRecord identity, CandidateRegistry registry, Moment now) {
		this.identity = identity;
		this.registry = registry;
		this.next = now.nanos();
	}

	@Nullable StoreCall poll(Set<String> elections, Duration slack, Moment now) {
		boolean changed = !elections.equals(this.announced);
		if ((elections.isEmpty() && this.announced == null) || (!changed && now.nanos() - this.next < 0)) {
			return null;
		}
		this.announced = elections;
		this.next = now.plus(INTERVAL).nanos();
		Duration timeout = (slack.compareTo(LONGEST_CALL) < 0) ? slack : LONGEST_CALL;
		CandidateRecord record = this.identity.standingIn(elections);
		return call(() -> this.registry.announce(record, timeout));
	}

	/** Return the call that removes the entry, or {@code null} if there is none. */
	@Nullable StoreCall withdraw() {
		if (this.announced == null) {
			return null;
		}
		this.announced = null;
		return call(() -> this.registry.remove(this.identity.id(), LONGEST_CALL));
	}

	/** A failure here decides nothing, and says nothing about the leases. */
	private StoreCall call(Runnable operation) {
		return new StoreCall(false, () -> {
			try {
				operation.run();
				this.failures = 0;
			}
			catch (LeaseStoreException ex) {
				this.failures++;
				// The first may be the beginning of an outage, which is told elsewhere.
				if (this.failures == 2) {
					logger.warn("This instance can't be listed among the candidates: {}. Elections go on; trying again "
							+ "every {} s", ex.getMessage(), INTERVAL.toSeconds());
				}
			}
			return (sentAt, then) -> {
			};
		}, (then) -> {
		});
	}

}
