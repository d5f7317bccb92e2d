package io.github.leaderelection.lock.example;

import java.time.Duration;

import io.github.leaderelection.fence.FencedCollection;
import io.github.leaderelection.fence.FencedCollection.Outcome;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;

/**
 * From the page about locks.
 */
@Component
class Stock {

	private final DistributedLocks locks;

	private final FencedCollection stock;

	Stock(DistributedLocks locks, MongoTemplate mongo) {
		this.locks = locks;
		this.stock = new FencedCollection(mongo, "stock");
	}

	Outcome count(String article, int number) throws InterruptedException {
		try (HeldLock lock = this.locks.acquire("stock/" + article, Duration.ofSeconds(10))) {
			return this.stock.upsert(lock, article, new Update().set("number", number));
		}
	}

}
