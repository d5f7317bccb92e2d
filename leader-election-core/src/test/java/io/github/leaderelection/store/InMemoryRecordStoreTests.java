package io.github.leaderelection.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
	void timeIsThatOfTheGivenClockInMilliseconds() {
		Instant noon = Instant.parse("2026-03-01T12:00:00Z");
		assertThat(new InMemoryRecordStore(KIND, () -> noon.plusNanos(1_500_000)).now(TIMEOUT))
			.isEqualTo(noon.plusMillis(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "_id", "id", "revision", "changedAt", "a.b", "$a", "1st", "a\nb" })
	void fieldHasAPlainName(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new StoredRecord(ID, 1, Map.of(name, "x")))
			.withMessageNotContaining("\n");
	}

	@Test
	void recordHasAnIdARevisionAndValuesOfSimpleTypes() {
		assertThatIllegalArgumentException().isThrownBy(() -> record("", 1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> record(ID, -1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> record(ID, StoredRecord.MAX_REVISION + 1, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> new StoredRecord(ID, 1, Map.of("number", 1)));
	}

	@Test
	void recordIsDescribedInOneLineWithoutItsFields() {
		assertThat(record("x\nERROR forged", 1, "secret").toString()).contains("x?ERROR forged")
			.doesNotContain("secret", "\n");
	}

}
