package io.github.leaderelection.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.job.RecordedJobs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link InMemoryRecordStore}, and for the records that it keeps.
 */
class InMemoryRecordStoreTests extends RecordStoreContractTests {

	private final InMemoryRecordStore store = new InMemoryRecordStore(KIND, InstantSource.system());

	@Override
	protected RecordStore store() {
		return this.store;
	}

	@Test
	void timeIsTakenFromTheGivenClockInMilliseconds() {
		Instant noon = Instant.parse("2026-03-01T12:00:00Z");
		assertThat(new InMemoryRecordStore(KIND, () -> noon.plusNanos(1_500_000)).now(TIMEOUT))
			.isEqualTo(noon.plusMillis(1));
	}

	@Test
	void fieldNamesArePlainAndNotReserved() {
		for (RecordKind kind : List.of(LeaseStore.LEASES, LeaseStore.LOCKS, LeaseStore.SESSIONS,
				CandidateRegistry.CANDIDATES, RecordedJobs.RUNS)) {
			assertThat(kind.fields().keySet()).as(kind.name())
				.allMatch((name) -> name.matches("[a-zA-Z][a-zA-Z0-9]{0,63}"))
				.doesNotContain("id", "revision", "changedAt");
		}
	}

	@Test
	void recordNeedsAnIdARevisionAndSimpleValues() {
		assertThatIllegalArgumentException().isThrownBy(() -> record("", 1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> record(ID, -1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> record(ID, StoredRecord.MAX_REVISION + 1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> new StoredRecord(ID, 1, Map.of("number", 1)));
	}

	@Test
	void recordIsDescribedOnOneLineWithoutItsFields() {
		assertThat(record("x\nERROR forged", 1, "secret").toString()).contains("x?ERROR forged")
			.doesNotContain("secret", "\n");
	}

}
