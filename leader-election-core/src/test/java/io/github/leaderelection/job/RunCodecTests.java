package io.github.leaderelection.job;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RunCodec}.
 */
class RunCodecTests {

	private static final JobKey KEY = new JobKey("billing", "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final RunRecord RECORD = new RunRecord(KEY, 7, 5, NOON, "hourly", 1, 2,
			new JobRun("one", KEY.election(), KEY.job(), NOON, Cause.CATCH_UP, 2, 5, "a", NOON, null, Outcome.RUNNING));

	@Test
	void recordIsReadAsItWasStored() throws Exception {
		StoredRecord stored = StoredRuns.stored(RECORD);
		assertThat(stored.id()).isEqualTo("billing/report");
		assertThat(stored.fields()).containsOnlyKeys(RunCodec.FIELDS.keySet());
		assertThat(RunCodec.toRecord(KEY, stored, NOON)).isEqualTo(RECORD);
		RunRecord first = new RunRecord(KEY, 1, 5, NOON, "", 0, 0, null);
		assertThat(RunCodec.toRecord(KEY, StoredRuns.stored(first), NOON)).isEqualTo(first);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '~', value = {
			"fence, text, must be a whole number between 0 and 9007199254740991 but is a string", "fence, -1, is -1",
			"fence, 9007199254740992, is 9007199254740992", "fence, other, is of type ARRAY",
			"covered, 7, 'covered' must be a date between 1970-01-01T00:00:00Z and 2027-03-02T12:00:00Z but is 7",
			"covered, 1969-12-31T23:59:59Z, must be a date between",
			"covered, 2027-03-02T12:00:00.001Z, must be a date between", "covered, null, is null", "skipped, -1, is -1",
			"missed, other, is of type ARRAY", "run, 7, 'run' must be a string but is 7", "run, ~~, is an empty string",
			"run, escape, 'run' must be the id of a run but is a string", "fireTime, text, must be a date between",
			"fireTime, 2999-01-01T00:00:00Z, must be a date between", "cause, text, 'cause' must be one of [SCHEDULED",
			"cause, null, is null", "attempt, 0, 'attempt' must be", "attempt, 2147483648, 'attempt' must be",
			"term, -5, 'term' must be", "candidate, null, must be a string", "outcome, text, must be one of" })
	void damageIsDescribedWithoutQuotingValues(String field, String value, String damage) {
		assertDamaged(field, value(value), damage);
	}

	@ParameterizedTest
	@ValueSource(strings = { "fence", "covered", "timetable", "skipped", "missed", "attempt", "outcome" })
	void recordWithAMissingFieldIsDamaged(String field) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(StoredRuns.stored(RECORD).fields());
		fields.remove(field);
		assertThatExceptionOfType(DamagedRecordException.class)
			.isThrownBy(() -> RunCodec.toRecord(KEY, new StoredRecord(KEY.id(), 7, fields), NOON))
			.withMessageContaining("'" + field + "' must be")
			.withMessageContaining("missing");
	}

	@Test
	void recordAtTheMaximumRevisionIsDamaged() {
		StoredRecord stored = new StoredRecord(KEY.id(), StoredRecord.MAX_REVISION, StoredRuns.stored(RECORD).fields());
		assertThatExceptionOfType(DamagedRecordException.class).isThrownBy(() -> RunCodec.toRecord(KEY, stored, NOON))
			.withMessageContaining("'revision' must be");
	}

	@Test
	void unreadableInformationalFieldsAreNotDamage() throws Exception {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(StoredRuns.stored(RECORD).fields());
		fields.put("startedAt", "now");
		fields.put("finishedAt", Instant.parse("9999-01-01T00:00:00Z"));
		fields.put("candidate", "x\nERROR forged");
		JobRun last = RunCodec.toRecord(KEY, new StoredRecord(KEY.id(), 7, fields), NOON).last();
		assertThat(last.startedAt()).isNull();
		assertThat(last.finishedAt()).isNull();
		assertThat(last.candidateId()).isEqualTo("x?ERROR forged");
	}

	private static void assertDamaged(String field, @Nullable Object value, String damage) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(StoredRuns.stored(RECORD).fields());
		fields.put(field, value);
		assertThatExceptionOfType(DamagedRecordException.class)
			.isThrownBy(() -> RunCodec.toRecord(KEY, new StoredRecord(KEY.id(), 7, fields), NOON))
			.withMessageContaining(damage)
			.withMessageNotContaining("\u001b");
	}

	private static @Nullable Object value(String value) {
		if (value.matches("-?\\d+")) {
			return Long.valueOf(value);
		}
		if (value.matches("\\d{4}-.*")) {
			return Instant.parse(value);
		}
		return switch (value) {
			case "null" -> null;
			case "other" -> new OtherValue("of type ARRAY");
			case "escape" -> "a\u001b[2J";
			default -> value;
		};
	}

}
