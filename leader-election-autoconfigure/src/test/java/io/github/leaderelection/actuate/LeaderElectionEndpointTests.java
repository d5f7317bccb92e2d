package io.github.leaderelection.actuate;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;

import com.jayway.jsonpath.JsonPath;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.actuate.RunningApplication.Answer;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LeaderElectionEndpoint} over HTTP and JMX, on two running applications
 * and a real MongoDB. Each test has elections of its own, which the first application
 * leads at first.
 */
class LeaderElectionEndpointTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final String DATABASE = SharedMongo.uniqueDatabase();

	private static final String[] ELECTIONS = { "shown", "resigned", "transferred", "kept", "paused", "draining",
			"beans", "suspended" };

	private static RunningApplication first;

	private static RunningApplication second;

	@BeforeAll
	static void start() {
		first = start("web-1", "management.endpoint.leaderelection.access=unrestricted", "spring.jmx.enabled=true",
				"management.endpoints.jmx.exposure.include=*", "leader-election.elections.first-only.ttl=10s",
				"leader-election.elections.first-only.stand=true");
		await().atMost(LONG).until(() -> leadsAll(first.engine()));
		second = start("web-2", "spring.jmx.unique-names=true");
		await().atMost(LONG).until(() -> second.engine().leader("shown").isPresent());
		// The first learns of the second with its next sign of life. Standing in a new
		// election brings that about.
		await().atMost(LONG).until(() -> second.engine().status().candidates().size() == 2);
		first.engine().stand("late");
		await().atMost(LONG).until(() -> first.engine().status().candidates().size() == 2);
	}

	private static RunningApplication start(String host, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		for (String election : ELECTIONS) {
			all.add("leader-election.elections." + election + ".ttl=10s");
			all.add("leader-election.elections." + election + ".stand=true");
		}
		all.add("leader-election.candidate.address=http://user:secret@" + host + ":8080/");
		all.add("leader-election.candidate.version=1.2");
		return RunningApplication.start(SharedMongo.uri(), DATABASE, all.toArray(String[]::new));
	}

	private static boolean leadsAll(ElectionEngine engine) {
		return engine.elections().stream().allMatch(engine::isLeader);
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(DATABASE).drop();
		}
	}

	@Test
	void allElectionsAreShown() {
		Answer answer = second.get("/leaderelection");
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.<String>read("candidate")).isEqualTo(second.engine().candidateId());
		assertThat(answer.<Map<String, ?>>read("elections")).containsOnlyKeys(ELECTIONS);
		assertThat(answer.<String>read("elections.shown.role")).isEqualTo("FOLLOWER");
		assertThat(answer.<String>read("elections.shown.leader.id")).isEqualTo(first.engine().candidateId());
	}

	@Test
	void singleElectionIsShown() {
		Answer answer = second.get("/leaderelection/shown");
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.<String>read("election")).isEqualTo("shown");
		assertThat(answer.<String>read("role")).isEqualTo("FOLLOWER");
		assertThat(answer.<String>read("leader.id")).isEqualTo(first.engine().candidateId());
		assertThat(answer.<String>read("leader.application")).isEqualTo("shop");
		assertThat(answer.<String>read("leader.host")).isNotBlank();
		assertThat(answer.<String>read("leader.version")).isEqualTo("1.2");
		assertThat(answer.<String>read("leader.address")).isEqualTo("http://******@web-1:8080/");
		assertThat(answer.<Integer>read("term")).isEqualTo(1);
		assertThat(Instant.parse(answer.read("electedAt"))).isBefore(Instant.now().plusSeconds(60));
		assertThat(Duration.parse(answer.read("remaining"))).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
		assertThat(Duration.parse(answer.read("observedAgo"))).isGreaterThanOrEqualTo(Duration.ZERO);
		assertThat(answer.<Integer>read("callsInFlight")).isZero();
		assertThat(answer.<List<String>>read("candidates[*].id"))
			.containsExactlyInAnyOrder(first.engine().candidateId(), second.engine().candidateId());
		assertThat(first.get("/leaderelection/shown").<String>read("role")).isEqualTo("LEADER");
	}

	@Test
	void healthIsShownAndNotPartOfLiveness() {
		assertThat(second.get("/health/leaderElection").<String>read("details.elections.shown.role"))
			.isEqualTo("FOLLOWER");
		HealthEndpointGroups groups = first.context().getBean(HealthEndpointGroups.class);
		assertThat(groups.getPrimary().isMember("leaderElection")).isTrue();
		assertThat(groups.get("liveness").isMember("leaderElection")).isFalse();
	}

	/** Otherwise a response would have to wait while MongoDB does not answer. */
	@Test
	void mongoIsNotAsked() {
		for (RunningApplication application : List.of(first, second)) {
			application.commands().clear();
			for (String path : List.of("/leaderelection", "/leaderelection/shown", "/health/leaderElection",
					"/prometheus")) {
				assertThat(application.get(path).body()).as(path).contains("shown");
			}
			assertThat(application.commands().threads()).noneMatch((thread) -> thread.contains("-exec-"));
			// A call to MongoDB would be noticed.
			application.get("/health/mongo");
			assertThat(application.commands().threads()).anyMatch((thread) -> thread.contains("-exec-"));
		}
	}

	@Test
	void unknownElectionIsNotFound() {
		assertRefused(first.get("/leaderelection/none"), 404, "does not stand in an election of that name");
	}

	@Test
	void writingIsNotPossibleByDefault() {
		assertThat(second.post("/leaderelection/shown", "{\"action\":\"pause\"}").status()).isEqualTo(405);
		assertThat(second.get("/leaderelection/shown").<String>read("role")).isEqualTo("FOLLOWER");
	}

	@Test
	void leaderResigns() {
		assertAccepted(first.post("/leaderelection/resigned", "{\"action\":\"resign\"}"));
		await().atMost(LONG).until(() -> second.engine().isLeader("resigned"));
		assertThat(first.get("/leaderelection/resigned").<String>read("lastLoss")).isEqualTo("RESIGNED");
		await().atMost(LONG).until(() -> first.get("/leaderelection/resigned").<String>read("role").equals("FOLLOWER"));
		await().atMost(LONG).until(() -> first.engine().leader("resigned").isPresent());
		Answer answer = first.post("/leaderelection/resigned", "{\"action\":\"resign\"}");
		assertAccepted(answer);
		assertThat(answer.<String>read("message"))
			.startsWith("Asked %s to hand over 'resigned', term 2. It will do so as soon as it sees the request"
				.formatted(second.engine().candidateId()));
		await().atMost(LONG)
			.until(() -> second.get("/leaderelection/resigned").body().contains("\"lastLoss\":\"RESIGNED\""));
	}

	@Test
	void leaderTransfersToTheNamedCandidate() {
		String successor = second.engine().candidateId();
		assertAccepted(first.post("/leaderelection/transferred", transferTo(successor)));
		await().atMost(LONG).until(() -> second.engine().isLeader("transferred"));
		await().atMost(LONG).until(() -> first.engine().leader("transferred").isPresent());
		assertRefused(first.post("/leaderelection/transferred", transferTo(successor)), 400,
				"already leads 'transferred'");
		Answer answer = first.post("/leaderelection/transferred", transferTo(first.engine().candidateId()));
		assertAccepted(answer);
		assertThat(answer.<String>read("message")).contains("Asked " + successor, "to " + first.engine().candidateId());
		await().atMost(LONG).until(() -> first.engine().isLeader("transferred"));
	}

	/** Both applications are candidates in {@code kept}. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					none       | resign   |        | 404 | does not stand in an election of that name
					kept       | transfer |        | 400 | Name the candidate
					kept       | transfer | first  | 400 | already leads 'kept'
					kept       | transfer | nobody | 400 | Unknown candidate: use an 'id' from 'candidates' of this endpoint
					first-only | transfer | second | 400 | does not stand in 'first-only'
					kept       |          |        | 400 | Name an action
					kept       | abdicate |        | 400 | Name an action
					kept       | pause    | second | 400 | call this endpoint on that instance, whose address is http://******@web-2:8080/.
					kept       | resume   | second | 400 | To pause or resume 'kept' for all instances, use pause-election or resume-election
					kept       | pause    | nobody | 400 | Unknown candidate
					kept       | resume   | ''     | 400 | Unknown candidate
					first-only | pause    | second | 400 | does not stand in 'first-only'
					""")
	void invalidRequestIsRefused(String election, String action, String candidate, int status, String sentence) {
		Map<String, String> request = new HashMap<>();
		request.put("action", action);
		request.put("candidate", (candidate == null) ? null : candidate.replace("first", first.engine().candidateId())
			.replace("second", second.engine().candidateId()));
		request.values().removeIf(Objects::isNull);
		String json = JsonPath.parse(request).jsonString();
		assertRefused(first.post("/leaderelection/" + election, json), status, sentence);
		assertThat(second.get("/leaderelection/kept").<String>read("role")).isEqualTo("FOLLOWER");
		assertThat(first.engine().isLeader("kept")).isTrue();
		assertThat(first.engine().isLeader("first-only")).isTrue();
	}

	@Test
	void transferToPausedCandidateIsRefused() {
		CandidateRecord aside = new CandidateRecord("aside", "shop", "web-9", null, null, Set.of("kept", "others"),
				null, Set.of("kept"));
		EngineStatus status = first.engine().status();
		EngineStatus known = new EngineStatus(status.outage(), status.pushed(), status.notPushedBecause(),
				status.elections(), List.of(aside), List.of());
		WebEndpointResponse<OperationResponseBody> answer = endpoint(first, known, Optional::empty).steer("kept",
				"transfer", "aside", null, SecurityContext.NONE);
		assertThat(answer.getStatus()).isEqualTo(409);
		assertThat(answer.getBody()).isEqualTo(new MessageDescriptor("That candidate is paused in 'kept'"));
		assertThat(first.engine().isLeader("kept")).isTrue();
	}

	@Test
	void transferRequestThatCannotBeStoredIsRefused() {
		assertThat(ask(Optional::empty).getBody())
			.isEqualTo(new MessageDescriptor("'kept' has just changed. Check who leads it, and try again"));
		assertThat(ask(Optional::empty).getStatus()).isEqualTo(409);
		WebEndpointResponse<OperationResponseBody> unknown = ask(() -> {
			throw new LeaseStoreException("as the test wants", null);
		});
		assertThat(unknown.getStatus()).isEqualTo(503);
		assertThat(unknown.getBody()).asString().contains("but may not have been asked to hand over");
		assertThat(first.engine().isLeader("kept")).isTrue();
	}

	@Test
	@ExtendWith(LogCapture.class)
	void requestIsLoggedWithPrincipalAndSuccessor(CapturedLog log) {
		SecurityContext ann = mock(SecurityContext.class);
		given(ann.getPrincipal()).willReturn(() -> "ann\nforged");
		Lease lease = Lease.vacant("kept", 1, 1, LONG);
		String successor = second.engine().candidateId();
		endpoint(second, first.engine().status(), () -> Optional.of(lease)).steer("kept", "transfer", successor, null,
				ann);
		assertThat(log).containsPattern("INFO .* 'transfer' requested through the actuator endpoint by ann\\?forged: "
				+ "Asked .* to hand over 'kept', term 1, to " + Pattern.quote(successor));
	}

	private static WebEndpointResponse<OperationResponseBody> ask(Supplier<Optional<Lease>> answer) {
		return endpoint(second, second.engine().status(), answer).steer("kept", "resign", null, null,
				SecurityContext.NONE);
	}

	private static LeaderElectionEndpointWebExtension endpoint(RunningApplication application, EngineStatus status,
			Supplier<Optional<Lease>> answer) {
		ElectionEngine engine = mock();
		given(engine.status()).willReturn(status);
		given(engine.requestHandover(any(), any())).willAnswer((invocation) -> answer.get());
		return new LeaderElectionEndpointWebExtension(
				new LeaderElectionEndpoint(application.engine(), engine, () -> null, List.of()));
	}

	@Test
	void leaderThatIsHandingOverRefusesFurtherRequests() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Thread work = new Thread(() -> first.engine().runIfLeader("draining", (leadership) -> {
			entered.countDown();
			await().atMost(LONG).until(() -> end.getCount() == 0);
		}));
		work.start();
		try {
			assertThat(entered.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertAccepted(first.post("/leaderelection/draining", "{\"action\":\"resign\"}"));
			Answer draining = first.get("/leaderelection/draining");
			assertThat(draining.<String>read("role")).isEqualTo("HANDING_OVER");
			assertThat(draining.<Integer>read("callsInFlight")).isEqualTo(1);
			assertRefused(first.post("/leaderelection/draining", "{\"action\":\"resign\"}"), 409,
					"already handing over 'draining'");
			assertRefused(first.post("/leaderelection/draining", transferTo(second.engine().candidateId())), 409,
					"already handing over 'draining'");
			assertThat(second.engine().isLeader("draining")).isFalse();
		}
		finally {
			end.countDown();
		}
		work.join();
		await().atMost(LONG).until(() -> second.engine().isLeader("draining"));
	}

	@Test
	void instanceIsPausedAndResumed() {
		String self = first.engine().candidateId();
		assertRefused(first.post("/leaderelection/paused", "{\"action\":\"resume\"}"), 409, "not paused");
		assertAccepted(first.post("/leaderelection/paused", "{\"action\":\"pause\"}"));
		await().atMost(LONG).until(() -> second.engine().isLeader("paused"));
		await().atMost(LONG).until(() -> first.get("/leaderelection/paused").<String>read("role").equals("PAUSED"));
		assertRefused(first.post("/leaderelection/paused", pause("pause", self)), 409, "already paused");
		String own = "candidates[?(@.id == '%s')].paused".formatted(self);
		await().atMost(LONG)
			.until(() -> first.get("/leaderelection/paused").<List<Boolean>>read(own).equals(List.of(true)));
		assertThat(first.get("/leaderelection/kept").<List<Boolean>>read(own)).containsExactly(false);
		assertAccepted(first.post("/leaderelection/paused", "{\"action\":\"resume\"}"));
		assertThat(first.get("/leaderelection/paused").<String>read("role")).isEqualTo("FOLLOWER");
		await().atMost(LONG)
			.until(() -> first.get("/leaderelection/paused").<List<Boolean>>read(own).equals(List.of(false)));
	}

	private static String pause(String action, String candidate) {
		return "{\"action\":\"%s\",\"candidate\":\"%s\"}".formatted(action, candidate);
	}

	@Test
	void pausedElectionHasNoLeaderUntilResumed() {
		String path = "/leaderelection/suspended";
		assertRefused(first.post(path, "{\"action\":\"resume-election\"}"), 409, "is not paused");
		assertAccepted(first.post(path, "{\"action\":\"pause-election\"}"));
		await().atMost(LONG).until(() -> second.get(path).<String>read("role").equals("PAUSED"));
		await().atMost(LONG).until(() -> first.get(path).<String>read("role").equals("PAUSED"));
		assertThat(first.get(path).<Boolean>read("paused")).isTrue();
		assertThat(first.get(path).<String>read("leaderlessBecause")).isEqualTo("the election is paused");
		await().atMost(LONG)
			.untilAsserted(() -> assertThat(second.get(path).body())
				.contains("\"leaderlessBecause\":\"the election is paused\"", "\"leaderlessFor\":\"PT"));
		assertThat(first.get("/health/leaderElection").<String>read("details.elections.suspended.paused"))
			.isEqualTo("for all instances");
		assertRefused(first.post(path, "{\"action\":\"pause-election\"}"), 409, "already paused");
		assertRefused(first.post(path, "{\"action\":\"resume\"}"), 409, "not paused");
		assertAccepted(first.post(path, "{\"action\":\"pause\"}"));
		assertRefused(first.post(path, "{\"action\":\"pause\"}"), 409, "already paused");
		assertThat(first.post(path, "{\"action\":\"resume\"}").body()).contains("once the election is resumed");
		assertThat(second.engine().isLeader("suspended") || first.engine().isLeader("suspended")).isFalse();
		assertAccepted(first.post(path, "{\"action\":\"resume-election\"}"));
		await().atMost(LONG).until(() -> second.engine().isLeader("suspended") || first.engine().isLeader("suspended"));
		assertThat(first.get(path).<Boolean>read("paused")).isFalse();
	}

	@Test
	void worksOverJmx() throws Exception {
		assertThat(invoke("elections")).asString().contains("beans", "LEADER");
		assertThat((Map<?, ?>) invoke("election", "beans")).extracting("role", "term").containsExactly("LEADER", 1L);
		assertThatExceptionOfType(ReflectionException.class).isThrownBy(() -> invoke("election", "none"))
			.withMessageContaining("does not stand in an election of that name");
		assertThatExceptionOfType(ReflectionException.class)
			.isThrownBy(() -> invoke("steer", "beans", "transfer", "nobody", null))
			.withMessageContaining("Unknown candidate");
		assertThat((Map<?, ?>) invoke("steer", "beans", "transfer", second.engine().candidateId(), null))
			.extracting("message")
			.asString()
			.contains("Handing over 'beans'");
		await().atMost(LONG).until(() -> second.engine().isLeader("beans"));
		await().atMost(LONG).until(() -> first.engine().leader("beans").isPresent());
		assertThat(invoke("steer", "beans", "resign", null, null)).asString().contains("to hand over 'beans', term 2");
		assertThat(invoke("steer", "beans", "pause", null, null)).asString().contains("does not stand in 'beans'");
		await().atMost(LONG).until(() -> ((Map<?, ?>) invoke("election", "beans")).get("role").equals("PAUSED"));
		assertThat(invoke("steer", "beans", "resume", null, null)).asString().contains("stands in 'beans' again");
	}

	private static Object invoke(String operation, @Nullable String... arguments) throws Exception {
		MBeanServer server = ManagementFactory.getPlatformMBeanServer();
		ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Leaderelection");
		String[] types = Collections.nCopies(arguments.length, String.class.getName()).toArray(String[]::new);
		return server.invoke(name, operation, arguments, types);
	}

	private static String transferTo(String candidate) {
		return "{\"action\":\"transfer\",\"candidate\":\"%s\"}".formatted(candidate);
	}

	private static void assertAccepted(Answer answer) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(202);
		assertThat(answer.<String>read("message")).isNotBlank();
	}

	static void assertRefused(Answer answer, int status, String sentence) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(status);
		assertThat(answer.<String>read("message")).contains(sentence);
	}

}
