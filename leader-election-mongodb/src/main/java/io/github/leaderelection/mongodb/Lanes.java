package io.github.leaderelection.mongodb;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Tracks which lanes of each fence this process is using. Safe for use by any thread.
 */
final class Lanes {

	private final Map<String, BitSet> taken = new HashMap<>();

	/**
	 * Reserve the first free lane.
	 * @param lease the id of the lease
	 * @return the number of the lane, 0 or more
	 */
	synchronized int take(String lease) {
		BitSet lanes = this.taken.computeIfAbsent(lease, (id) -> new BitSet());
		int lane = lanes.nextClearBit(0);
		lanes.set(lane);
		return lane;
	}

	synchronized void giveBack(String lease, int lane) {
		this.taken.computeIfPresent(lease, (id, lanes) -> {
			lanes.clear(lane);
			return lanes.isEmpty() ? null : lanes;
		});
	}

}
