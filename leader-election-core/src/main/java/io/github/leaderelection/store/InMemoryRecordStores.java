package io.github.leaderelection.store;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@link RecordStores} in memory, for tests: engines that share an instance compete like
 * processes that share a database. It never waits, so timeouts have no effect. Keeps
 * nothing beyond its own life, and is safe for use by several threads.
 */
public final class InMemoryRecordStores implements RecordStores {

	private final Map<String, InMemoryRecordStore> stores = new ConcurrentHashMap<>();

	private final InstantSource clock;

	/** Create an empty place that uses the system clock. */
	public InMemoryRecordStores() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty place.
	 * @param clock its clock
	 */
	public InMemoryRecordStores(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public RecordStore store(RecordKind kind) {
		return this.stores.computeIfAbsent(kind.name(), (name) -> new InMemoryRecordStore(kind, this.clock));
	}

	@Override
	public String place() {
		return "memory";
	}

}
