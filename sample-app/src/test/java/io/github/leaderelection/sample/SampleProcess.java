package io.github.leaderelection.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.launcher.SupervisedProcess;
import org.awaitility.Awaitility;
import tools.jackson.databind.json.JsonMapper;

/**
 * The sample in a separate process, started from its archive as a user would.
 */
final class SampleProcess implements AutoCloseable {

	private static final Pattern ADDRESS = Pattern.compile("http://localhost:\\d+/");

	private static final HttpClient http = HttpClient.newHttpClient();

	private static final JsonMapper json = JsonMapper.builder().build();

	private final SupervisedProcess process;

	private final SampleLog log;

	private String address = "";

	private String candidateId = "";

	private SampleProcess(SupervisedProcess process, SampleLog log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Start a process, without waiting for it.
	 * @param runtime the runtime of the process
	 * @param port the port of its page, 0 for any
	 */
	static SampleProcess launch(SampleRuntime runtime, Path log, String uri, int port, List<String> args) {
		List<String> command = new ArrayList<>(runtime.command());
		command.addAll(List.of("-jar", System.getProperty("sample-app.jar")));
		command.addAll(List.of("--spring.mongodb.uri=" + uri, "--server.port=" + port, "--spring.main.banner-mode=off",
				"--logging.pattern.console=" + SampleLog.PATTERN));
		command.addAll(runtime.args());
		command.addAll(args);
		try {
			Files.createDirectories(log.getParent());
			Files.deleteIfExists(log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new SampleProcess(SupervisedProcess.start(command, log), new SampleLog(log));
	}

	/**
	 * Wait until the process has logged the address of its page, and the page answers.
	 */
	void awaitPage() {
		Awaitility.await("page, see " + this.log).atMost(Duration.ofSeconds(60)).until(() -> {
			if (!isAlive()) {
				throw new IllegalStateException("Ended: see " + this.log);
			}
			return !this.log.containing("See who leads at").isEmpty();
		});
		Matcher matcher = ADDRESS.matcher(this.log.containing("See who leads at").get(0).message());
		if (!matcher.find()) {
			throw new IllegalStateException("No address: see " + this.log);
		}
		this.address = matcher.group();
		if (!get("").contains("<title>")) {
			throw new IllegalStateException("No page at " + this.address);
		}
		this.candidateId = overview().instance();
	}

	String address() {
		return this.address;
	}

	String candidateId() {
		return this.candidateId;
	}

	SampleLog log() {
		return this.log;
	}

	Overview overview() {
		return json.readValue(get("api/elections"), Overview.class);
	}

	Overview.Election election(String name) {
		return overview().elections().stream().filter((each) -> each.name().equals(name)).findFirst().orElseThrow();
	}

	boolean leads(String election) {
		return election(election).leadsHere();
	}

	/**
	 * Ask to resign as the page's button does, and return whether that was accepted.
	 */
	boolean resign(String election) {
		return post("api/elections/" + election + "/resign") == 202;
	}

	/**
	 * Return what the page or the actuator answers.
	 */
	String get(String path) {
		HttpResponse<String> response = send(request(path).GET());
		if (response.statusCode() != 200) {
			throw new IllegalStateException(response + ": " + response.body());
		}
		return response.body();
	}

	/**
	 * Send a request without content, and return the status of the response.
	 */
	int post(String path) {
		return send(request(path).POST(HttpRequest.BodyPublishers.noBody())).statusCode();
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.address + path)).timeout(Duration.ofSeconds(20));
	}

	private HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No answer from " + this.log, ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Ask the process to end (SIGTERM), without waiting for it.
	 */
	void terminate() {
		this.process.signal("TERM");
	}

	/**
	 * End the process at once (SIGKILL).
	 */
	void kill() {
		this.process.kill();
	}

	void awaitEnd() {
		Awaitility.await("end, see " + this.log).atMost(Duration.ofSeconds(60)).until(() -> !isAlive());
	}

	@Override
	public void close() {
		this.process.kill();
	}

	@Override
	public String toString() {
		return this.candidateId + ", see " + this.log;
	}

}
