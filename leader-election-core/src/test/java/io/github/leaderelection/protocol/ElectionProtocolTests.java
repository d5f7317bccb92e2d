package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.List;

import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol} that are not plain scripts: what a candidate knows
 * of the lease while another holds it, and when it takes the lease.
 */
class ElectionProtocolTests extends ElectionScript {

	@Test
	void neverReadsMoreOftenThanItPolls() {
		Timing slow = new Timing(TTL, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2),
				Duration.ofSeconds(4), Duration.ZERO, Duration.ZERO);
		ElectionProtocol patient = new ElectionProtocol("me", slow, this.sessions);
		run("wish PAUSE");
		this.state = patient.on(this.state, ElectionEvent.read(lease("- 7.30"), this.now, true), this.now);
		run("next read in 4000");
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			# what has happened; for how long the holder may still be trusted
			due read,                                      0
			read - 7.30,                                   0
			read other 7.30,                               10000
			read other 7.30; holder none; pass 4000,       6000
			read other 7.30; holder 1; pass 4000,          6000
			read other 7.30; holder 1; pass 11000,         -1000
			read other 7.30; holder ended,                 0
			read other 7.30; holder ended; pass 2000,      -2000
			""")
	void reportsHowLongTheHolderCanStillBeTrusted(String steps, long millis) {
		run(steps);
		assertThat(this.state.remaining(this.holder, this.now)).isEqualTo(Duration.ofMillis(millis));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			# how many changes have failed; how many may be tried together, for how long, and when
			0, 2147483647, 2000, 0
			1, 32,         500,  1000
			2, 1,          500,  2000
			3, 1,          500,  4000
			4, 1,          2000, 8000
			5, 1,          2000, 8000
			""")
	void failedChangesAreRetriedSeparatelyWithBackoff(int failures, int together, long limit, long until) {
		for (int i = 0; i < failures; i++) {
			on(ElectionEvent.unanswered(new Command.Create(0)));
		}
		Backoff backoff = this.state.backoff();
		assertThat(backoff.together()).isEqualTo(together);
		assertThat(backoff.limit(Duration.ofSeconds(2), TIMING.pollInterval())).isEqualTo(Duration.ofMillis(limit));
		assertThat(backoff.limit(Duration.ofMillis(1), TIMING.pollInterval())).isEqualTo(Duration.ofMillis(1));
		assertThat(backoff.until()).isEqualTo(this.now.plus(Duration.ofMillis(until)).nanos());
	}

	@Test
	void backoffResetsAfterAnAnswerAChangeOrAnotherFailure() {
		Lease vacant = lease("- 7.30");
		for (ElectionEvent event : List.of(ElectionEvent.takeRefused(vacant), ElectionEvent.created(false),
				ElectionEvent.created(true), ElectionEvent.released(vacant, null), ElectionEvent.releaseRefused(vacant),
				ElectionEvent.unanswered(new Command.ReadLease()), ElectionEvent.unhindered(),
				ElectionEvent.pushed(lease("- 7.31"), false))) {
			run("begin 0 0; read - 7.30; unanswered; read - 7.30");
			assertThat(this.state.backoff().failures()).isEqualTo(1);
			on(event);
			assertThat(this.state.backoff().failures()).as("after %s", event).isZero();
		}
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", quoteCharacter = '"', textBlock = """
			# the highest term seen before; the lease: term, revision; what is wrong
			7,                7.30,                -
			7,                9007199254740990.30, -
			9007199254740990, 9007199254740990.31, -
			7,                7.9007199254740989,  -
			7,                9007199254740991.30, 'term' must be at most 9007199254740990
			7,                7.9007199254740990,  'revision' must be at most 9007199254740989
			9007199254740991, 7.30,                restart all instances
			""")
	void doesNotTakeALeaseThatNobodyCouldTakeAgain(long highest, String lease, @Nullable String flaw) {
		begin(highest, 0);
		run("read - " + lease);
		assertThat(due() instanceof Command.Take).isEqualTo(flaw == null);
		if (flaw != null) {
			run("next read in 1000");
			assertThat(this.protocol.flaw(this.state, lease("- " + lease))).contains(flaw);
		}
		else {
			run("done; phase LEADING");
			assertThat(this.protocol.flaw(this.state, this.state.term().lease())).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "LEAD", "LEAVE" })
	void ineffectiveChangesDoNotCauseABusyLoop(String wish) {
		run("read - 7.30; unanswered; wish " + wish);
		int calls = 0;
		for (int step = 0; step < 1_200; step++) {
			for (Command command = due(); command != null && calls < 1_000; command = due()) {
				calls++;
				run((command instanceof Command.ReadLease) ? "read - 7.30"
						: (command instanceof Command.Take) ? "refused" : "done");
			}
			pass(50, false);
		}
		assertThat(calls).isBetween(20, 190);
	}

}
