package io.github.leaderelection.lock.example;

import java.time.Duration;

import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import org.bson.Document;

import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Component;

/**
 * From the page about locks.
 */
@Component
class Imports {

	private final DistributedLocks locks;

	private final MongoTemplate mongo;

	Imports(DistributedLocks locks, MongoTemplate mongo) {
		this.locks = locks;
		this.mongo = mongo;
	}

	void run(String customer, Iterable<String> lines) throws InterruptedException {
		try (HeldLock lock = this.locks.acquire("import/" + customer, Duration.ofMinutes(1))) {
			for (String line : lines) {
				lock.requireHeld(); // throws LockLostException
				this.mongo.insert(new Document("customer", customer).append("line", line), "imports");
			}
		}
	}

}
