package io.github.leaderelection.launcher;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

@Tag("deep")
class JoinableServerTests {

	/**
	 * What {@code sample-app/run} does, with {@code cat} in place of the application.
	 */
	private static final String TERMINAL = """
			exec 9<>"$3/users"
			uri=$("$1" -cp "$2" io.github.leaderelection.launcher.JoinableServerMain "$3") || exit
			echo "$uri"
			exec cat
			""";

	@TempDir
	private Path directory;

	private final List<Process> terminals = new ArrayList<>();

	@BeforeEach
	void createPipe() throws Exception {
		assertThat(new ProcessBuilder("mkfifo", this.directory.resolve("users").toString()).start().waitFor()).isZero();
	}

	@AfterEach
	void endAll() throws IOException {
		this.terminals.forEach(Process::destroyForcibly);
		awaitNothingLeft();
	}

	@Test
	void serverStaysForOtherUsersAndEndsWithTheLast() throws IOException {
		Process first = open();
		String uri = uri(first);
		Process second = open();
		assertThat(uri(second)).isEqualTo(uri);
		RunningServer server = RunningServer.read(this.directory.resolve("current")).orElseThrow();
		first.destroyForcibly();
		first.onExit().join();
		Process third = open();
		assertThat(uri(third)).isEqualTo(uri);
		assertThat(ServerCommand.state(server.port())).isEqualTo(ServerState.PRIMARY);
		second.destroyForcibly();
		third.destroyForcibly();
		awaitNothingLeft();
		assertThat(ServerCommand.state(server.port())).isEqualTo(ServerState.SILENT);
		Awaitility.await().until(() -> !server.isSupervised());
	}

	@Test
	void userThatArrivesDuringShutdownGetsARunningServer() throws IOException {
		Process terminal = open();
		uri(terminal);
		for (int round = 0; round < 3; round++) {
			Process next = open();
			// At another moment of the start of the next one in each round.
			long until = System.nanoTime() + Duration.ofMillis(120L * round).toNanos();
			Awaitility.await().until(() -> System.nanoTime() > until);
			terminal.destroyForcibly();
			int port = port(uri(next));
			assertThat(ServerCommand.state(port)).isEqualTo(ServerState.PRIMARY);
			terminal = next;
		}
	}

	@Test
	void aServerThatHasDiedIsReplaced() throws IOException {
		int port = port(uri(open()));
		RunningServer server = RunningServer.read(this.directory.resolve("current")).orElseThrow();
		ProcessHandle.of(server.supervisor()).orElseThrow().destroyForcibly();
		int next = port(uri(open()));
		assertThat(next).isNotEqualTo(port);
		assertThat(ServerCommand.state(port)).isEqualTo(ServerState.SILENT);
		assertThat(ServerCommand.state(next)).isEqualTo(ServerState.PRIMARY);
	}

	@Test
	void serverWithAnEndingSupervisorIsNotJoined() throws Exception {
		Path own = Files.createDirectory(this.directory.resolve("server-1"));
		try (MongoReplicaSet set = MongoReplicaSet.start(1)) {
			int port = set.primary().port();
			// It sees a new user, and still ends a little later.
			Process supervisor = new ProcessBuilder("sh", "-c", "read -r word <\"$1/users\"; sleep 1; exit", "sh",
					this.directory.toString(), own.toString())
				.start();
			new RunningServer(own, port, supervisor.pid()).write(this.directory.resolve("current"));
			assertThat(port(uri(open()))).isNotEqualTo(port);
			assertThat(own).doesNotExist();
		}
	}

	@Test
	void serverRequiresThePassword() throws IOException {
		String uri = uri(open());
		RunningServer server = RunningServer.read(this.directory.resolve("current")).orElseThrow();
		try (MongoClient stranger = MongoClients.create(uri.replaceFirst("//.*@", "//").replaceFirst("&.*", ""))) {
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> stranger.getDatabase("sample").getCollection("any").countDocuments())
				.withMessageContaining("requires authentication");
		}
		assertThat(ServerCommand.isOk(ServerCommand.run(server.port(),
				BsonDocument.parse("{createUser: 'me', pwd: 'me', roles: ['root']}"), Duration.ofSeconds(10))))
			.isFalse();
		try (MongoClient user = MongoClients.create(uri)) {
			MongoCollection<Document> collection = user.getDatabase("sample").getCollection("any");
			collection.insertOne(new Document("_id", 1));
			assertThat(collection.countDocuments()).isEqualTo(1);
		}
		for (String secret : List.of("password", "key")) {
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.directory().resolve(secret))))
				.isEqualTo("rw-------");
		}
	}

	@Test
	void serverWithAForeignFirstUserIsNotUsed() throws Exception {
		Path own = Files.createDirectory(this.directory.resolve("server-1"));
		RunningServer.authorizationArgs(own);
		try (MongoReplicaSet set = MongoReplicaSet.startWithAuthorization(1)) {
			int port = set.primary().port();
			assertThat(ServerCommand.isOk(ServerCommand.run(port,
					BsonDocument.parse("{createUser: 'me', pwd: 'me', roles: ['root']}"), Duration.ofSeconds(10))))
				.isTrue();
			Process supervisor = new ProcessBuilder("sh", "-c",
					"exec 7<\"$1/users\"; while read -r word <&7; do echo \"$word\" >>\"$2/seen\"; done", "sh",
					this.directory.toString(), own.toString())
				.start();
			new RunningServer(own, port, supervisor.pid()).write(this.directory.resolve("current"));
			assertThat(port(uri(open()))).isNotEqualTo(port);
			assertThat(own).doesNotExist();
		}
	}

	@Test
	void aCommonDirectoryThatOthersCanWriteToIsNotUsed() throws IOException {
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxrwxrwx"));
		assertThatIOException().isThrownBy(() -> new JoinableServer(this.directory, (message) -> {
		}).uri()).withMessageContainingAll(this.directory.toString(), "written to by others (rwxrwxrwx)", "TMPDIR");
		assertThat(this.directory.resolve("current")).doesNotExist();
	}

	private Process open() throws IOException {
		Process terminal = new ProcessBuilder("sh", "-c", TERMINAL, "sh",
				Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				System.getProperty("java.class.path"), this.directory.toString())
			.redirectError(ProcessBuilder.Redirect.appendTo(new File("target", "processes.log")))
			.start();
		this.terminals.add(terminal);
		return terminal;
	}

	private static String uri(Process terminal) throws IOException {
		BufferedReader output = terminal.inputReader();
		String line = output.readLine();
		assertThat(line).startsWith("mongodb://sample:").contains("@127.0.0.1:");
		return line;
	}

	private static int port(String uri) {
		return Integer.parseInt(uri.replaceAll(".*:(\\d+)/.*", "$1"));
	}

	private void awaitNothingLeft() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(this.directory).isDirectoryNotContaining("glob:**/server-*"));
	}

}
