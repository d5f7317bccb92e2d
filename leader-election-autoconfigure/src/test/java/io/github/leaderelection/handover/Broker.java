package io.github.leaderelection.handover;

import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * A broker in this JVM.
 */
final class Broker implements AutoCloseable {

	private final EmbeddedActiveMQ server = new EmbeddedActiveMQ();

	Broker() {
		try {
			Configuration configuration = new ConfigurationImpl().setPersistenceEnabled(false)
				.setSecurityEnabled(false)
				.setJMXManagementEnabled(false)
				.addAcceptorConfiguration("vm", "vm://0");
			// Whatever becomes of a message, the broker does not put it aside.
			configuration.addAddressSetting("#", new AddressSettings().setMaxDeliveryAttempts(-1));
			this.server.setConfiguration(configuration);
			this.server.start();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Connect to it. A consumer that has been stopped must not keep messages that it has
	 * fetched in advance.
	 */
	ConnectionFactory connectionFactory() {
		return new ActiveMQConnectionFactory("vm://0?consumerWindowSize=0");
	}

	@Override
	public void close() {
		try {
			this.server.stop();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
