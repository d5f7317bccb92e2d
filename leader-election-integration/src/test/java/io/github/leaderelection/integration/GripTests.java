package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.lock.HeldLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GripTests {

	private final SlowLock lock = new SlowLock();

	private final Grip grip = new Grip();

	@Test
	void timeThatHasPassedCanNotBeRenewed() {
		this.grip.take(this.lock, null);
		assertThat(this.grip.limit(Duration.ofNanos(1))).isTrue();
		Awaitility.await().untilTrue(this.lock.closing);
		assertThat(this.grip.isHeld()).isTrue();
		assertThat(this.grip.limit(Duration.ofHours(1))).isFalse();
		assertThat(this.grip.limit(null)).isFalse();
	}

	@Test
	void timeThatHasNotPassedCanBeRenewed() {
		this.grip.take(this.lock, null);
		assertThat(this.grip.limit(Duration.ofHours(1))).isTrue();
		assertThat(this.grip.limit(null)).isTrue();
		assertThat(this.grip.limit(Duration.ofHours(2))).isTrue();
		assertThat(this.lock.closing).isFalse();
	}

	@Test
	void timeOfOneLockIsNotThatOfTheNext() {
		this.grip.take(this.lock, null);
		this.grip.limit(Duration.ofNanos(1));
		Awaitility.await().untilTrue(this.lock.closing);
		this.grip.unlock();
		SlowLock next = new SlowLock();
		this.grip.take(next, null);
		assertThat(this.grip.limit(Duration.ofHours(1))).isTrue();
		assertThat(next.closing).isFalse();
	}

	/** Is being closed, and still held. */
	private static final class SlowLock implements HeldLock {

		private final AtomicBoolean closing = new AtomicBoolean();

		@Override
		public String name() {
			return "slow";
		}

		@Override
		public String candidateId() {
			return "me";
		}

		@Override
		public long term() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public Duration remaining() {
			return Duration.ofSeconds(20);
		}

		@Override
		public Optional<LossReason> lossReason() {
			return Optional.empty();
		}

		@Override
		public Registration onLost(Consumer<LossReason> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			this.closing.set(true);
		}

	}

}
