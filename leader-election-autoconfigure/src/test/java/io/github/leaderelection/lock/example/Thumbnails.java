package io.github.leaderelection.lock.example;

import java.util.Optional;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;

import org.springframework.stereotype.Component;

/**
 * From the page about locks.
 */
@Component
class Thumbnails {

	private final DistributedLocks locks;

	Thumbnails(DistributedLocks locks) {
		this.locks = locks;
	}

	boolean make(String image) {
		Optional<HeldLock> acquired = this.locks.tryAcquire("thumbnail/" + image);
		if (acquired.isEmpty()) {
			return false; // another instance is doing it
		}
		try (HeldLock lock = acquired.get(); Leadership.Registration lost = lock.onLost((reason) -> stop(image))) {
			return render(image);
		}
	}

	boolean render(String image) {
		return !image.isEmpty();
	}

	void stop(String image) {
	}

}
