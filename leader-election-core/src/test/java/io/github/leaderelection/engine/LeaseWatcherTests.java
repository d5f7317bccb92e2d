package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseWatcher}.
 */
@ExtendWith(LogCapture.class)
class LeaseWatcherTests {

	private final AtomicBoolean supported = new AtomicBoolean();

	private final AtomicInteger refusals = new AtomicInteger();

	private volatile boolean broken;

	private volatile Boolean pushedAtClose;

	private final LeaseStore store = store();

	private final EngineContext context = new EngineContext("a", this.store, new ManualClock(), Runnable::run,
			List.of(), () -> {
			});

	private final Answers answers = new Answers(
			new ElectionRegistry(this.context, (election) -> ElectionSettings.of(Duration.ofSeconds(10))), List::of);

	private final LeaseWatcher watcher = new LeaseWatcher(this.context, this.answers, Duration.ofMillis(20));

	@AfterEach
	void stop() {
		this.watcher.stop();
	}

	@Test
	void privilegeGrantedLaterTakesEffectWithoutRestart(CapturedLog log) {
		this.watcher.start();
		await().until(() -> this.refusals.get() >= 3);
		assertThat(this.answers.isPushed()).isFalse();
		assertThat(log).containsOnlyOnce("Changes of leases are not pushed; polling instead: not allowed");
		this.supported.set(true);
		await().until(this.answers::isPushed);
		assertThat(log).containsOnlyOnce("Changes of leases are now pushed");
	}

	@Test
	void changesCountAsNotPushedWhileAWatchIsClosing() {
		this.supported.set(true);
		this.broken = true;
		this.watcher.start();
		await().until(() -> this.pushedAtClose != null);
		assertThat(this.pushedAtClose).isFalse();
		await().untilAsserted(() -> assertThat(this.watcher.obstacle()).contains("broken, as the test wants"));
	}

	private LeaseStore store() {
		LeaseStore delegate = LeaseStore.forElections(new InMemoryRecordStores(), "");
		return new InterceptedLeaseStore(delegate, (method, what, timeout) -> {
			if (method.equals("watch") && !this.supported.get()) {
				this.refusals.incrementAndGet();
				throw new UnsupportedOperationException("not allowed");
			}
		}) {

			@Override
			public RecordWatch watch() {
				RecordWatch watch = super.watch();
				return new RecordWatch() {

					@Override
					public @Nullable RecordChange next() {
						if (LeaseWatcherTests.this.broken) {
							throw new IllegalStateException("broken, as the test wants");
						}
						return watch.next();
					}

					@Override
					public void close() {
						LeaseWatcherTests.this.pushedAtClose = LeaseWatcherTests.this.answers.isPushed();
						watch.close();
					}

				};
			}

		};
	}

}
