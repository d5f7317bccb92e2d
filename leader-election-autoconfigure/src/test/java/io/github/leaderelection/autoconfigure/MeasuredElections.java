package io.github.leaderelection.autoconfigure;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.mongodb.RecordedCommands;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.Rival;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * An application in which everything happens that can be measured.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class MeasuredElections {

	@Bean
	Jobs jobs() {
		return new Jobs();
	}

	@Bean
	Candidate stubborn() {
		return new Stubborn();
	}

	@Bean
	Candidate failing() {
		return new Failing();
	}

	@Bean
	RecordedCommands commands() {
		return new RecordedCommands();
	}

	@Bean
	MongoClientSettingsBuilderCustomizer recorded(RecordedCommands commands) {
		return (settings) -> settings.addCommandListener(commands);
	}

	@Bean
	static BeanPostProcessor contested() {
		return new Contested();
	}

	static class Jobs {

		@LeaderOnly("held")
		public void run(Runnable work) {
			work.run();
		}

		@LeaderOnly("taken")
		public void skip() {
		}

		@LeaderOnly(value = "taken", otherwise = Otherwise.THROW)
		public void reject() {
		}

		@LeaderOnly("impatient")
		public void linger(CountDownLatch entered, CountDownLatch letGo) {
			entered.countDown();
			awaitUninterruptibly(letGo);
		}

		static void awaitUninterruptibly(CountDownLatch latch) {
			while (latch.getCount() > 0) {
				try {
					latch.await();
				}
				catch (InterruptedException ex) {
					// On purpose
				}
			}
		}

	}

	/** Does not return when it is interrupted, only when it is let go. */
	static class Stubborn implements Candidate {

		private final CountDownLatch letGo = new CountDownLatch(1);

		@Override
		public String election() {
			return "stubborn";
		}

		@Override
		public void onElected(Leadership leadership) {
			Jobs.awaitUninterruptibly(this.letGo);
		}

		void letGo() {
			this.letGo.countDown();
		}

	}

	/** Fails in both of its callbacks. */
	static class Failing implements Candidate {

		@Override
		public String election() {
			return "failing";
		}

		@Override
		public void onElected(Leadership leadership) {
			throw new IllegalStateException("expected by the test");
		}

		@Override
		public void onDefeated(Leadership leadership) {
			throw new IllegalStateException("expected by the test");
		}

	}

	/** A rival takes the lease of one election right before this instance does. */
	private static final class Contested implements BeanPostProcessor {

		private final Set<String> contested = ConcurrentHashMap.newKeySet();

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof LeaseStore store)) {
				return bean;
			}
			ProxyFactory proxy = new ProxyFactory(LeaseStore.class, (MethodInterceptor) (invocation) -> {
				if (invocation.getMethod().getName().equals("take")) {
					((Collection<?>) invocation.getArguments()[0]).forEach((each) -> take(store, (LeaseTaking) each));
				}
				return invocation.proceed();
			});
			proxy.setTarget(store);
			return proxy.getProxy();
		}

		private void take(LeaseStore store, LeaseTaking taking) {
			String election = taking.expected().election();
			if (election.equals("contested") && this.contested.add(election)) {
				new Rival(store, "rival", taking.taken().ttl()).take(taking.expected());
			}
		}

	}

}
