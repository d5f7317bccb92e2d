package io.github.leaderelection.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.store.CandidateRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionDescriber}.
 */
class ElectionDescriberTests {

	private final ElectionDescriber describer = new ElectionDescriber(List.of());

	@ParameterizedTest
	@CsvSource({ "http://user:secret@web-1:8080/, http://******@web-1:8080/",
			"user:secret@web-1:8080, ******@web-1:8080", "//user:secret@web-1, //******@web-1",
			"http://web-1/@me, http://web-1/@me", "web-1:8080, web-1:8080" })
	void credentialsInAnAddressAreNotShown(String address, String shown) {
		CandidateRecord candidate = new CandidateRecord("me", "shop", "web-1", 1, null, address, Set.of("jobs"), null,
				null);
		ElectionStatus election = new ElectionStatus("jobs", "me", Role.LEADER, 1, null, Duration.ZERO, null, 0, null,
				Duration.ofSeconds(20), false, Duration.ZERO, null, Duration.ZERO, false);
		EngineStatus status = new EngineStatus(null, true, null, List.of(election), List.of(candidate));
		ElectionDescriptor described = this.describer.describe(election, status);
		assertThat(described.candidates()).extracting(CandidateDescriptor::address).containsExactly(shown);
	}

}
