package io.github.leaderelection.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import io.github.leaderelection.launcher.SharedMongo;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.endpoint.SourcePollingChannelAdapter;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.scheduling.support.PeriodicTrigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Hands leadership over repeatedly while messages come in, with a real broker and a real
 * MongoDB. No message may be lost, or handled by an instance that does not lead.
 * {@code -Dhandovers=300} runs more handovers.
 */
class ListenerHandoverIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(ListenerHandoverIntegrationTests.class);

	private static final int HANDOVERS = Integer.getInteger("handovers", 5);

	/** Once in this many handovers the leader's application closes. */
	private static final int CLOSED = 4;

	private static final int INSTANCES = 3;

	/** More messages than this are handled under each term. */
	private static final int MESSAGES = 20;

	private static final Duration LONG = Duration.ofSeconds(60);

	/** The most messages that may wait to be handled. */
	private static final int BACKLOG = 200;

	private static HandledMessages received;

	private static HandledMessages polled;

	private static Semaphore backlog;

	private static BlockingQueue<Integer> queue;

	private static EmbeddedActiveMQ broker;

	private final String database = SharedMongo.uniqueDatabase();

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		this.instances.forEach(ConfigurableApplicationContext::close);
		broker.stop();
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(this.database).drop();
		}
	}

	@Test
	void handoverLosesNoMessageAndFollowersReceiveNone() throws Exception {
		begin();
		Producer producer = new Producer();
		producer.start();
		for (int i = 1; i <= HANDOVERS; i++) {
			ConfigurableApplicationContext leader = awaitLeaderAtWork();
			if (i % CLOSED == 0) {
				this.instances.remove(leader);
				leader.close();
				this.instances.add(startInstance());
			}
			else {
				assertThat(elections(leader).resign("work")).isTrue();
			}
		}
		awaitLeaderAtWork();
		int sent = producer.finish();
		await().atMost(LONG).until(() -> received.count() == sent && polled.count() == sent);
		report("broker", received, sent);
		report("poller", polled, sent);
		assertThat(received.late()).isEmpty();
		assertThat(polled.late()).isEmpty();
		assertThat(received.ids()).isEqualTo(all(sent));
		assertThat(polled.ids()).isEqualTo(all(sent));
		assertThat(received.terms()).isGreaterThan(HANDOVERS);
	}

	private void begin() throws Exception {
		received = new HandledMessages("work");
		polled = new HandledMessages("work");
		backlog = new Semaphore(BACKLOG);
		queue = new LinkedBlockingQueue<>();
		broker = new EmbeddedActiveMQ();
		org.apache.activemq.artemis.core.config.Configuration configuration = new ConfigurationImpl()
			.setPersistenceEnabled(false)
			.setSecurityEnabled(false)
			.setJMXManagementEnabled(false)
			.addAcceptorConfiguration("vm", "vm://0");
		// The broker redelivers a message without limit.
		configuration.addAddressSetting("#", new AddressSettings().setMaxDeliveryAttempts(-1));
		broker.setConfiguration(configuration);
		broker.start();
		for (int i = 0; i < INSTANCES; i++) {
			this.instances.add(startInstance());
		}
	}

	private ConfigurableApplicationContext startInstance() {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setRegisterShutdownHook(false);
		return application.run("--spring.main.banner-mode=off", "--spring.application.name=work",
				"--spring.mongodb.uri=" + SharedMongo.uri(), "--spring.mongodb.database=" + this.database,
				"--leader-election.elections.work.components=listener,poller",
				"--leader-election.elections.work.stand=true", "--leader-election.cooldown=1s",
				// It logs each message otherwise.
				"--logging.level.org.apache.activemq=warn");
	}

	/** Wait until an instance leads, and has handled messages under its term. */
	private ConfigurableApplicationContext awaitLeaderAtWork() {
		return await().atMost(LONG).until(() -> {
			Optional<ConfigurableApplicationContext> leader = this.instances.stream()
				.filter((instance) -> elections(instance).leadership("work")
					.filter((leadership) -> !leadership.isEnding() && received.count(leadership.term()) > MESSAGES
							&& polled.count(leadership.term()) > MESSAGES)
					.isPresent())
				.findFirst();
			return leader;
		}, Optional::isPresent).orElseThrow();
	}

	private static LeaderElection elections(ConfigurableApplicationContext instance) {
		return instance.getBean(LeaderElection.class);
	}

	private static Set<Integer> all(int sent) {
		return IntStream.range(0, sent).boxed().collect(Collectors.toSet());
	}

	private static void report(String what, HandledMessages messages, int sent) {
		List<Duration> gaps = messages.gaps();
		logger.info(
				"{}: {} handovers, {} messages, {} lost, {} handled after the end of a term, {} handled twice; "
						+ "without a listener: median {} ms, 99 % {} ms, longest {} ms",
				what, gaps.size(), sent, sent - messages.count(), messages.late().size(), messages.duplicates(),
				gaps.get(gaps.size() / 2).toMillis(), gaps.get(gaps.size() * 99 / 100).toMillis(),
				gaps.get(gaps.size() - 1).toMillis());
	}

	/** A stopped consumer must not keep messages that it has prefetched. */
	private static ConnectionFactory connections() {
		return new ActiveMQConnectionFactory("vm://0?consumerWindowSize=0");
	}

	/** Sends messages for as long as they are handled. */
	private static final class Producer extends Thread {

		private final AtomicInteger sent = new AtomicInteger();

		private volatile boolean finishing;

		@Override
		public void run() {
			// Keeps a session open.
			CachingConnectionFactory connections = new CachingConnectionFactory(connections());
			JmsTemplate template = new JmsTemplate(connections);
			try {
				while (!this.finishing) {
					if (backlog.tryAcquire(2, 100, TimeUnit.MILLISECONDS)) {
						int message = this.sent.get();
						template.convertAndSend("work", message);
						queue.add(message);
						this.sent.incrementAndGet();
					}
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				connections.destroy();
			}
		}

		int finish() throws InterruptedException {
			this.finishing = true;
			join();
			return this.sent.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableJms
	@EnableIntegration
	@ImportAutoConfiguration({ MongoAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
			LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	static class Application {

		private final LeaderElection elections;

		Application(LeaderElection elections) {
			this.elections = elections;
		}

		@Bean
		ConnectionFactory connectionFactory() {
			return connections();
		}

		@Bean
		DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connectionFactory) {
			DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
			factory.setConnectionFactory(connectionFactory);
			factory.setSessionTransacted(true);
			factory.setReceiveTimeout(100L);
			return factory;
		}

		@JmsListener(id = "listener", destination = "work")
		void handle(int message) {
			received.handle(this.elections, message, Application::work);
			backlog.release();
		}

		@Bean
		DirectChannel items() {
			DirectChannel channel = new DirectChannel();
			channel.subscribe((message) -> {
				int item = (Integer) message.getPayload();
				boolean handled = this.elections.runIfLeader("work",
						(leadership) -> polled.handle(this.elections, item, Application::work));
				if (handled) {
					backlog.release();
				}
				else {
					// As a transactional source would.
					queue.add(item);
				}
			});
			return channel;
		}

		@Bean
		SourcePollingChannelAdapter poller(DirectChannel items) {
			SourcePollingChannelAdapter adapter = new SourcePollingChannelAdapter();
			adapter.setSource(() -> {
				Integer item = queue.poll();
				return (item != null) ? new GenericMessage<>(item) : null;
			});
			adapter.setOutputChannel(items);
			adapter.setTrigger(new PeriodicTrigger(Duration.ofMillis(1)));
			adapter.setMaxMessagesPerPoll(10);
			return adapter;
		}

		private static void work() {
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}

	}

}
