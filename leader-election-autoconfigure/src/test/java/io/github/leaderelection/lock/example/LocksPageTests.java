package io.github.leaderelection.lock.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.autoconfigure.DistributedLocksAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import io.github.leaderelection.fence.FencedCollection.Outcome;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockLostException;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.FreshDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the code that the page about locks shows.
 */
class LocksPageTests {

	private static final Path SOURCES = Path.of("src/test/java/io/github/leaderelection/lock/example");

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
				MongoLeaderElectionAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
				DistributedLocksAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withPropertyValues("leader-election.drain-timeout=0s")
		.withUserConfiguration(Examples.class);

	static List<Path> examples() throws IOException {
		try (Stream<Path> files = Files.list(SOURCES)) {
			return files.filter((file) -> !file.endsWith("LocksPageTests.java")).toList();
		}
	}

	@ParameterizedTest
	@MethodSource("examples")
	void pageShowsTheExample(Path example) throws IOException {
		String source = Files.readString(example);
		String code = source.substring(source.indexOf("*/\n") + 3);
		assertThat(Files.readString(Path.of("../docs/locks.md"))).contains(code);
	}

	@Test
	void imports() {
		this.runner.run((context) -> {
			context.getBean(Imports.class).run("a", List.of("1", "2"));
			assertThat(this.database.getCollection("imports").countDocuments()).isEqualTo(2);
			// The next import of this customer has to wait for this one.
			assertThat(context.getBean(DistributedLocks.class).acquire("import/a", Duration.ofMinutes(1)).term())
				.isGreaterThan(1);
		});
	}

	@Test
	void importsEndWhenTheLockIsLost() {
		this.runner.run((context) -> {
			// As when the application is shut down, and the drain timeout is over.
			Iterable<String> lines = () -> {
				context.getBean(LockService.class).close();
				return List.of("1").iterator();
			};
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Imports.class).run("a", lines));
			assertThat(this.database.getCollection("imports").countDocuments()).isZero();
		});
	}

	@Test
	void thumbnails() {
		this.runner.run((context) -> {
			Thumbnails thumbnails = context.getBean(Thumbnails.class);
			assertThat(thumbnails.make("cat")).isTrue();
			try (HeldLock lock = context.getBean(DistributedLocks.class)
				.acquire("thumbnail/cat", Duration.ofMinutes(1))) {
				assertThat(lock.isHeld()).isTrue();
				assertThat(thumbnails.make("cat")).isFalse();
				assertThat(thumbnails.make("dog")).isTrue();
			}
		});
	}

	@Test
	void exports() {
		this.runner.run((context) -> {
			Exports exports = context.getBean(Exports.class);
			long first = exports.export("a").join();
			assertThat(exports.export("a").join()).isGreaterThan(first);
		});
	}

	@Test
	void exportsThatNobodyWaitsForAnyMoreLeaveNoLockBehind() {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			HeldLock before = locks.acquire("export/a", Duration.ofMinutes(1));
			CompletableFuture<Long> export = context.getBean(Exports.class).export("a");
			assertThat(export.cancel(false)).isTrue();
			before.close();
			assertThat(locks.acquire("export/a", Duration.ofSeconds(10)).term()).isGreaterThan(before.term());
		});
	}

	@Test
	void stock() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Stock.class).count("chair", 5)).isEqualTo(Outcome.APPLIED);
			this.database.getCollection("stock")
				.updateOne(new Document(), new Document("$inc", new Document("term", 100L)));
			assertThat(context.getBean(Stock.class).count("chair", 4)).isEqualTo(Outcome.FENCED_OFF);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@ComponentScan(basePackageClasses = LocksPageTests.class)
	static class Examples {

	}

}
