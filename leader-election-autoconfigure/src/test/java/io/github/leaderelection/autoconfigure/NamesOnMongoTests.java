package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.CandidateIdentity;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Names with characters that mean something elsewhere: to MongoDB, to a formatter or to
 * who reads a log. Whatever is accepted means nothing but itself, on a real MongoDB.
 */
@ExtendWith(OutputCaptureExtension.class)
class NamesOnMongoTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final List<String> ODD_NAMES = List.of("$set", "$where", "{$gt: ''}", "{\"$ne\": null}", "a.b.c",
			".", "$", "' || '1'=='1", "\\", "{}", "%s %n %d {}", "${user.home}", "#{1+1}", "[x]", "__proto__", " a ",
			"a", "A", "\u00e9", "e\u0301", "\u591c\u9593", "\u05e2\u05d1\u05e8\u05d9\u05ea",
			"\ud83d\udc69\u200d\ud83d\udc67", "\ud83d\ude00".repeat(100), "x".repeat(200));

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	@AfterEach
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@Test
	void oddNamesAreElectionsLikeAnyOther() {
		try (ElectionEngine first = engine("shop", "web-1"); ElectionEngine second = engine("shop", "web-1")) {
			lead(first, ODD_NAMES);
			assertThat(documents(MongoStores.LEASES)).hasSameSizeAs(ODD_NAMES)
				.allSatisfy((lease) -> assertThat(lease.getString("holder")).startsWith(first.candidateId() + "#"))
				.allSatisfy((lease) -> assertThat(lease).containsEntry("term", 1L))
				.extracting((lease) -> lease.getString("_id"))
				.containsExactlyInAnyOrderElementsOf(ODD_NAMES);
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(documents(MongoStores.CANDIDATES)).singleElement()
					.satisfies((candidate) -> assertThat(candidate.getString("elections").split("\n"))
						.containsExactlyInAnyOrderElementsOf(ODD_NAMES)));
			first.close();
			lead(second, ODD_NAMES);
			assertThat(documents(MongoStores.LEASES)).hasSameSizeAs(ODD_NAMES)
				.allSatisfy((lease) -> assertThat(lease).containsEntry("term", 2L));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\u2003\u200d", "a\nINFO forged", "a\r\nINFO forged", "a\u2028INFO forged",
			"nul\0", "\u202egnp.exe", "\u200fx", "half \ud83d" })
	void otherNamesAreRefusedOnOneLineAndLeaveNoTrace(String name, CapturedOutput output) {
		try (ElectionEngine engine = engine("shop", "web-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> engine.stand(name))
				.satisfies((ex) -> assertThat(ex.getMessage()).startsWith("Election name '").matches("\\P{Cc}*"));
			assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> engine.isLeader(name))
				.satisfies((ex) -> assertThat(ex.getMessage()).matches("[^\\p{Cc}\\u2028\\u202e]*"));
			lead(engine, List.of("sound"));
		}
		assertThat(documents(MongoStores.LEASES)).hasSize(1);
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("INFO forged"));
	}

	@Test
	void tenKilobytesAreRefusedBriefly() {
		try (ElectionEngine engine = engine("shop", "web-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> engine.stand("x".repeat(10_000)))
				.withMessageContaining("has 10000 characters. Use at most 200")
				.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(120));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "$set", "$where", "{$ne: null}", "a.b", "nul\0", "two\nINFO forged", "\u202egnp", "%s {}",
			"  ", "half \ud83d", "\ud83d\ude00\ud83d\ude00", "a@b:1-x" })
	void applicationsAndHostsOfAnyNameBecomeCandidates(String name, CapturedOutput output) {
		try (ElectionEngine engine = engine(name, name.repeat(100))) {
			assertThat(engine.candidateId()).hasSizeLessThan(200).matches("[^@\\p{Cc}\\p{Z}]+@[^@\\p{Cc}\\p{Z}]+");
			lead(engine, List.of("x"));
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(documents(MongoStores.CANDIDATES)).singleElement()
					.satisfies((candidate) -> assertThat(candidate).containsEntry("_id", engine.candidateId())));
			assertThat(documents(MongoStores.LEASES)).singleElement()
				.satisfies((lease) -> assertThat(lease.getString("holder")).startsWith(engine.candidateId() + "#"));
			engine.close();
			assertThat(documents(MongoStores.CANDIDATES)).isEmpty();
		}
		assertThat(output.toString().lines()).noneMatch((line) -> line.startsWith("INFO forged"));
	}

	private void lead(ElectionEngine engine, List<String> elections) {
		elections.forEach(engine::stand);
		engine.start();
		await().atMost(LONG).until(() -> elections.stream().allMatch(engine::isLeader));
	}

	private List<Document> documents(String collection) {
		return this.database.getCollection(collection).find().into(new ArrayList<>());
	}

	private ElectionEngine engine(String application, String host) {
		CandidateRecord identity = CandidateIdentity.create(application, host, null, null);
		return new ElectionEngine(identity, MongoStores.leases(this.database), MongoStores.candidates(this.database),
				(election) -> ElectionSettings.of(Duration.ofSeconds(10)), (task) -> new Thread(task).start(),
				List.of(), EngineClock.SYSTEM);
	}

}
