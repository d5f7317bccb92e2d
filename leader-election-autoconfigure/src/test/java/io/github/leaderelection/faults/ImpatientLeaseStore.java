package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.BeatReply;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.PauseRequest;

/**
 * A store that breaks H4: it shows the heartbeats of others with a third of their time to
 * live, so that their epochs are ended while they may still believe.
 */
final class ImpatientLeaseStore implements LeaseStore {

	private static final int HASTE = 3;

	private final LeaseStore store;

	ImpatientLeaseStore(LeaseStore store) {
		this.store = store;
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return this.store.read(elections, timeout);
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return this.store.create(vacant, timeout);
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		return this.store.take(takings, timeout);
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		return this.store.release(releases, timeout);
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return this.store.pause(election, paused, timeout);
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		return this.store.ask(expected, request, timeout);
	}

	@Override
	public boolean enter(Heartbeat first, Duration timeout) {
		return this.store.enter(first, timeout);
	}

	@Override
	public BeatReply beat(Heartbeat next, Duration timeout) {
		return this.store.beat(next, timeout);
	}

	@Override
	public boolean ask(String id, PauseRequest request, Duration timeout) {
		return this.store.ask(id, request, timeout);
	}

	@Override
	public boolean end(Heartbeat seen, long epoch, Duration timeout) {
		return this.store.end(seen, epoch, timeout);
	}

	@Override
	public void leave(Heartbeat own, Duration timeout) {
		this.store.leave(own, timeout);
	}

	@Override
	public HeartbeatReading heartbeats(Collection<String> ids, Duration timeout) {
		HeartbeatReading reading = this.store.heartbeats(ids, timeout);
		Map<String, Heartbeat> heartbeats = new HashMap<>(reading.heartbeats());
		heartbeats.replaceAll((id, heartbeat) -> hasten(heartbeat));
		return new HeartbeatReading(heartbeats, reading.readAt());
	}

	@Override
	public LeaseWatch watch() {
		return this.store.watch();
	}

	private static Heartbeat hasten(Heartbeat heartbeat) {
		return new Heartbeat(heartbeat.id(), heartbeat.epoch(), heartbeat.beat(), heartbeat.ttl().dividedBy(HASTE),
				heartbeat.beatAt());
	}

}
