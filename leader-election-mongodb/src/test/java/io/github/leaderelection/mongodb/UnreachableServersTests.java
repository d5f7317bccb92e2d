package io.github.leaderelection.mongodb;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;

import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.store.LeaseStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link UnreachableServers}.
 */
class UnreachableServersTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	@Test
	void refusedConnectionIsReportedWithItsServer() throws IOException {
		String address = "127.0.0.1:" + freePort();
		assertReason("mongodb://user:secret@" + address, ": connection refused by " + address);
	}

	@Test
	void refusedConnectionsOfSeveralServersAreReportedTogether() throws IOException {
		int port = freePort();
		try (MongoClient client = MongoClients
			.create("mongodb://127.0.0.1:%d,localhost:%d/?replicaSet=rs0".formatted(port, port))) {
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> read(client))
				.withMessageContaining(": connection refused by ")
				.withMessageContaining("127.0.0.1:" + port)
				.withMessageContaining("localhost:" + port);
		}
	}

	@Test
	void unknownHostIsReportedByName() {
		assertReason("mongodb://nobody.invalid:27017", ": unknown host nobody.invalid:27017");
	}

	@Test
	void serverThatAcceptsButDoesNotAnswerIsReported() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			assertReason("mongodb://127.0.0.1:" + silent.getLocalPort(), ": no answer in time");
		}
	}

	@Test
	void missingPrimaryIsReportedBesideServersThatAreDown() {
		assertThat(UnreachableServers.reason(new MongoTimeoutException(
				"Timed out. Client view of cluster state is {type=REPLICA_SET, servers=[{address=a:27017, type=REPLICA_SET_SECONDARY, "
						+ "state=CONNECTED}, {address=b:27017, type=UNKNOWN, state=CONNECTING, exception={com.mongodb.MongoSocketOpenException: "
						+ "Exception opening socket}, caused by {java.net.ConnectException: Connection refused}}]")))
			.isEqualTo("no primary; connection refused by b:27017");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "[fe80::1%eth0]:27017", "fe80::1%eth0:27017", "[2001:db8::1]:27017", "db_1.example-a:27017" })
	void addressesOfAllKindsAreReported(String address) {
		assertThat(UnreachableServers.reason(new MongoTimeoutException(
				"Timed out. Client view of cluster state is {type=UNKNOWN, servers=[{address=" + address
						+ ", type=UNKNOWN, state=CONNECTING, exception={com.mongodb.MongoSocketOpenException: "
						+ "Exception opening socket}, caused by {java.net.ConnectException: Connection refused}}]")))
			.isEqualTo("connection refused by " + address);
	}

	@Test
	void brokenConnectionIsNotReportedAsTimeout() {
		ServerAddress server = new ServerAddress("a");
		assertThat(UnreachableServers.reason(new MongoSocketReadException("broken pipe", server)))
			.isEqualTo("connection lost");
		assertThat(UnreachableServers.reason(new MongoSocketReadTimeoutException("late", server, new IOException())))
			.isEqualTo("no answer in time");
		assertThat(UnreachableServers
			.reason(new MongoSocketOpenException("down", server, new ConnectException("Connection refused"))))
			.isEqualTo("connection refused by the server");
	}

	private static void assertReason(String uri, String reason) {
		try (MongoClient client = MongoClients.create(uri)) {
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> read(client))
				.withMessageEndingWith(reason);
		}
	}

	private static void read(MongoClient client) {
		MongoStores.leases(client.getDatabase("shop")).read(List.of("x"), List.of(), TIMEOUT);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
