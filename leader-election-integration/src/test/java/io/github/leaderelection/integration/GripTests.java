package io.github.leaderelection.integration;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.lock.HeldLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GripTests {

	private final AtomicBoolean closing = new AtomicBoolean();

	private final HeldLock lock = slowLock(this.closing);

	private final Grip grip = new Grip();

	@Test
	void expiredTimeToLiveCannotBeRenewed() {
		this.grip.take(this.lock, null);
		assertThat(this.grip.renew(Duration.ofNanos(1))).isTrue();
		Awaitility.await().untilTrue(this.closing);
		assertThat(this.grip.isLocked()).isTrue();
		assertThat(this.grip.renew(Duration.ofHours(1))).isFalse();
		assertThat(this.grip.renew(null)).isFalse();
	}

	@Test
	void unexpiredTimeToLiveCanBeRenewed() {
		this.grip.take(this.lock, null);
		assertThat(this.grip.renew(Duration.ofHours(1))).isTrue();
		assertThat(this.grip.renew(null)).isTrue();
		assertThat(this.grip.renew(Duration.ofHours(2))).isTrue();
		assertThat(this.closing).isFalse();
	}

	@Test
	void timeToLiveOfOneLockDoesNotAffectTheNext() {
		this.grip.take(this.lock, null);
		this.grip.renew(Duration.ofNanos(1));
		Awaitility.await().untilTrue(this.closing);
		this.grip.unlock();
		AtomicBoolean nextClosing = new AtomicBoolean();
		HeldLock next = slowLock(nextClosing);
		this.grip.take(next, null);
		assertThat(this.grip.renew(Duration.ofHours(1))).isTrue();
		assertThat(nextClosing).isFalse();
	}

	/** Return a lock that is being closed, and is still held. */
	private static HeldLock slowLock(AtomicBoolean closing) {
		return (HeldLock) Proxy.newProxyInstance(GripTests.class.getClassLoader(), new Class<?>[] { HeldLock.class },
				(proxy, method, arguments) -> {
					closing.compareAndSet(false, method.getName().equals("close"));
					return (method.getReturnType() == boolean.class) ? true : null;
				});
	}

}
