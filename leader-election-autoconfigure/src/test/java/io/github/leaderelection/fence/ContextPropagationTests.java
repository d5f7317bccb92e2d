package io.github.leaderelection.fence;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.TermFence;
import io.github.leaderelection.spring.TestGate;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that the leadership, and its fence, follow the work to other threads.
 */
class ContextPropagationTests {

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoAutoConfiguration.class,
				DataMongoAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withPropertyValues("spring.application.name=shop")
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withBean(TestGate.class)
		.withUserConfiguration(Application.class);

	@AfterEach
	void dropDatabase() {
		Hooks.disableAutomaticContextPropagation();
	}

	@Test
	void taskOfAnExecutorKnowsTheLeadership() {
		run((context, work) -> {
			Leadership leadership = context.getBean(TestGate.class).lead("work", 7);
			assertThat(work.call(() -> context.getBean(Helper.class).async()).join()).isSameAs(leadership);
		});
	}

	@Test
	void threadWithoutPropagatedContextKnowsNoLeadership() {
		run((context, work) -> {
			context.getBean(TestGate.class).lead("work", 7);
			LeaderElection elections = context.getBean(LeaderElection.class);
			assertThatIllegalStateException().isThrownBy(elections::currentLeadership);
			assertThat(work.call(() -> CompletableFuture.supplyAsync(TestTerm::current)).join()).isNull();
			// The pool's thread, after the task has ended
			ExecutorService pool = Executors.newSingleThreadExecutor();
			try {
				assertThat(
						CompletableFuture.supplyAsync(work.call(() -> wrap(elections::currentLeadership)), pool).join())
					.isNotNull();
				assertThatExceptionOfType(CompletionException.class)
					.isThrownBy(() -> CompletableFuture.supplyAsync(elections::currentLeadership, pool).join())
					.withCauseInstanceOf(IllegalStateException.class);
			}
			finally {
				pool.shutdown();
			}
		});
	}

	/** As by Reactor's operators, which set and restore their context. */
	@Test
	void scopeInsideAGatedCallInATaskLeavesTheLeadershipOfTheTask() {
		run((context, work) -> {
			Leadership outer = context.getBean(TestGate.class).lead("work", 7);
			Leadership inner = context.getBean(TestGate.class).lead("other", 9);
			LeaderElection elections = context.getBean(LeaderElection.class);
			Supplier<Leadership> handed = work.call(() -> wrap(elections::currentLeadership));
			Supplier<String> task = work.call(() -> wrap(() -> {
				work.other(() -> {
					assertThat(handed.get()).isSameAs(outer);
					assertThat(elections.currentLeadership()).isSameAs(inner);
				});
				assertThat(elections.currentLeadership()).isSameAs(outer);
				return "done";
			}));
			assertThat(CompletableFuture.supplyAsync(task).join()).isEqualTo("done");
		});
	}

	@Test
	void publisherKnowsTheLeadership() {
		Hooks.enableAutomaticContextPropagation();
		run((context, work) -> {
			Leadership leadership = context.getBean(TestGate.class).lead("work", 7);
			LeaderElection elections = context.getBean(LeaderElection.class);
			assertThat(work
				.mono(() -> Mono.defer(() -> Mono.just(elections.currentLeadership()))
					.subscribeOn(Schedulers.boundedElastic())
					.map((found) -> found == elections.currentLeadership() ? found : "another"))
				.block()).isSameAs(leadership);
			assertThat(work.<Object>call(() -> Mono.fromCallable(elections::currentLeadership)
				.subscribeOn(Schedulers.boundedElastic())
				.block())).isSameAs(leadership);
		});
	}

	@Test
	void transactionOnAnotherThreadIsFenced() {
		run((context, work) -> {
			context.getBean(TestGate.class).lead("work", 7);
			LeaderTransactions unfenced = new LeaderTransactions(LeaderFence.NONE,
					context.getBean(MongoTransactionManager.class));
			Leadership any = new TestTerm("any", 1).leadership();
			Supplier<String> write = () -> unfenced.execute(any, (status) -> "written");
			assertThat(CompletableFuture.supplyAsync(work.call(() -> wrap(write))).join()).isEqualTo("written");
			assertThat(passes()).isEqualTo(1);
			new TermFence(this.database).raise(new TestTerm("work", 8).leadership());
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> CompletableFuture.supplyAsync(work.call(() -> wrap(write))).join())
				.withCauseInstanceOf(LeadershipLostException.class);
			assertThat(CompletableFuture.supplyAsync(write).join()).isEqualTo("written");
		});
	}

	/** Wrap a task, as executors with Micrometer's context propagation do. */
	private static <T> Supplier<T> wrap(Supplier<T> task) {
		ContextSnapshot snapshot = ContextSnapshotFactory.builder().build().captureAll();
		return () -> {
			try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
				return task.get();
			}
		};
	}

	private long passes() {
		return this.database.getCollection(TermFence.COLLECTION).countDocuments(new Document("passes", 1L));
	}

	private void run(BiConsumer<ApplicationContext, Work> test) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context, context.getBean(Work.class));
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@Import({ Work.class, Helper.class, FencedStartTests.Transactions.class })
	static class Application {

		@Bean
		ContextPropagatingTaskDecorator taskDecorator() {
			return new ContextPropagatingTaskDecorator();
		}

	}

	static class Work {

		@LeaderOnly(value = "work", fenced = true)
		public <T> T call(Supplier<T> work) {
			return work.get();
		}

		@LeaderOnly("other")
		public void other(Runnable work) {
			work.run();
		}

		@LeaderOnly("work")
		public Mono<Object> mono(Supplier<Mono<Object>> work) {
			return work.get();
		}

	}

	static class Helper {

		private final LeaderElection elections;

		Helper(LeaderElection elections) {
			this.elections = elections;
		}

		@Async
		public CompletableFuture<Leadership> async() {
			return CompletableFuture.completedFuture(this.elections.currentLeadership());
		}

	}

}
