package io.github.leaderelection.lock.shedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.MongoLockStore;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the page shows as a provider of locks for ShedLock does what one must. On a real
 * MongoDB, with two processes.
 */
class LockProviderTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final LockService locks = LockService.builder(new MongoLockStore(this.database)).build();

	private final LockService otherLocks = LockService.builder(new MongoLockStore(this.database)).build();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.locks);

	private final LeaseLockProvider otherProcess = new LeaseLockProvider(this.otherLocks);

	@AfterEach
	void close() {
		this.locks.close();
		this.otherLocks.close();
		this.database.drop();
		this.client.close();
	}

	@Test
	void pageShowsTheProvider() throws IOException {
		String source = Files
			.readString(Path.of("src/test/java/io/github/leaderelection/lock/shedlock/LeaseLockProvider.java"));
		assertThat(Files.readString(Path.of("../docs/shedlock-provider.md")))
			.contains(source.substring(source.indexOf("@Component")));
	}

	@Test
	void lockIsHeldUntilItIsUnlocked() {
		SimpleLock lock = lock(this.provider, LONG, Duration.ZERO).orElseThrow();
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		assertThat(lock(this.otherProcess, LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		await().atMost(LONG).until(() -> lock(this.otherProcess, LONG, Duration.ZERO).map((other) -> {
			other.unlock();
			return true;
		}).orElse(false));
		await().atMost(LONG).until(() -> this.otherLocks.held() == 0);
	}

	@Test
	void lockIsHeldNoLongerThanAtMost() {
		assertThat(lock(this.provider, Duration.ofMillis(500), Duration.ZERO)).isPresent();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
	}

	@Test
	void lockIsHeldForAtLeastSoLong() {
		Instant begin = Instant.now();
		lock(this.provider, LONG, Duration.ofSeconds(2)).orElseThrow().unlock();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
		assertThat(Duration.between(begin, Instant.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
	}

	private static Optional<SimpleLock> lock(LeaseLockProvider provider, Duration atMost, Duration atLeast) {
		return provider.lock(new LockConfiguration(Instant.now(), "report", atMost, atLeast));
	}

}
