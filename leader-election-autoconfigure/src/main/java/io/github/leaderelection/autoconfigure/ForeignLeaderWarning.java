package io.github.leaderelection.autoconfigure;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns when another application leads an election of this one, once for each election
 * and application. Applications may share an election on purpose. If they share it by
 * mistake, the jobs of one of them never run.
 */
final class ForeignLeaderWarning implements ElectionListener {

	private static final Logger logger = LoggerFactory.getLogger(ForeignLeaderWarning.class);

	/** Limits the memory and the log that made-up applications can fill. */
	private static final int MOST_WARNINGS = 100;

	private final Set<List<String>> told = new HashSet<>();

	private final Supplier<@Nullable ElectionEngine> engine;

	ForeignLeaderWarning(Supplier<@Nullable ElectionEngine> engine) {
		this.engine = engine;
	}

	@Override
	public void onLeaderChanged(String election, @Nullable String previous, @Nullable String current) {
		ElectionEngine present = this.engine.get();
		String own = (present != null) ? applicationOf(present.candidateId()) : null;
		String other = (current != null) ? applicationOf(current) : null;
		if (own != null && other != null && !other.equals(own) && isNew(List.of(election, other))) {
			logger.warn("Election '{}' is led by another application: '{}' (this one is '{}'). Applications that use "
					+ "the same database share elections of the same name. If that is not intended, set "
					+ "leader-election.prefix, or use another name", election, other, own);
		}
	}

	/** Several threads call this, for different elections. */
	private synchronized boolean isNew(List<String> pair) {
		return this.told.size() < MOST_WARNINGS && this.told.add(pair);
	}

	/** Return the application, or {@code null} if this is no candidate id. */
	private static @Nullable String applicationOf(String candidateId) {
		int end = candidateId.indexOf('@');
		return (end > 0) ? StoredText.printable(candidateId.substring(0, end)) : null;
	}

}
