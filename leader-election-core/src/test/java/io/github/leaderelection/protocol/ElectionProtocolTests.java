package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.ElectionEvent.Created;
import io.github.leaderelection.protocol.ElectionEvent.Pushed;
import io.github.leaderelection.protocol.ElectionEvent.Read;
import io.github.leaderelection.protocol.ElectionEvent.ReleaseRefused;
import io.github.leaderelection.protocol.ElectionEvent.Released;
import io.github.leaderelection.protocol.ElectionEvent.TakeRefused;
import io.github.leaderelection.protocol.ElectionEvent.Unanswered;
import io.github.leaderelection.protocol.ElectionEvent.Unhindered;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.store.Lease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol}: what a candidate knows of the lease while others
 * hold it, and whatever happens in whatever order.
 */
class ElectionProtocolTests extends ElectionScript {

	static Stream<Arguments> pushes() {
		return Scripts.of("""
				shows a release at once
				  read other 7.30; push - 7.31; due take 8
				shows a lease even before the first read
				  push - 7.31; due take 8
				changes nothing by what repeats or comes late
				  read other 7.30; holder 1; pass 500; push other 7.30; push other 7.29; push - 6.28; push - 6.31
				  leader other; next read in 500
				is not undone by a read that it has overtaken
				  read other 7.30; send; pass 1; push third 8.32; read other 7.30; leader third
				is not undone by a read that it has overtaken, and that shows none, but by the next
				  read other 7.30; send; pass 1; push third 8.32; holder 1; read none; leader third; next read in 1000
				  pass 1000; read none; leader -
				does not keep a read from showing what is newer
				  read other 7.30; send; pass 1; push third 8.32; read fourth 9.34; leader fourth
				is undone by a read that began when it arrived
				  read other 7.30; pass 1; push third 8.32; read other 7.30; leader other
				makes reading rarer, most of all while the lease is held
				  wish PAUSE; pushes true; read none; next read in 2500; read - 7.30; next read in 2500
				  read other 8.31; next read in 50000; pushes false; read other 8.31; next read in 1000
				makes reading rarer by what is pushed itself
				  wish PAUSE; read other 7.30; pushes true; push third 8.31; next read in 50000
				  pushes false; push other 9.32; next read in 1000
				makes it read at once what is said to be gone
				  read other 7.30; doubt; due read
				makes it read at once what has changed, perhaps
				  read other 7.30; hint; due read
				makes it read by a given time what often changes
				  read other 7.30; holder 1; hint 2000; next read in 1000; hint 400; next read in 400
				""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void pushes(String rule, String script) {
		run(script);
	}

	@Test
	void neverReadsMoreOftenThanItPolls() {
		Timing slow = new Timing(TTL, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2),
				Duration.ofSeconds(4), Duration.ZERO, Duration.ZERO);
		ElectionProtocol patient = new ElectionProtocol("me", slow, this.sessions);
		run("wish PAUSE");
		this.state = patient.on(this.state, new Read(lease("- 7.30"), this.now, true), this.now);
		run("next read in 4000");
	}

	@Test
	void tellsWhoLeads() {
		run("leader -; read other 7.30; leader other; read - 7.31; leader -; read none; leader -");
		// What is stored alone makes no leader.
		run("read me 7.32; leader -; lead 8; leader me; push me 8.32");
		assertThat(this.state.heldLease()).isEqualTo(lease("me 8.32"));
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
	void tellsForHowLongTheHolderMayStillBeTrusted(String steps, long millis) {
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
	void whatHasFailedIsTriedApartBrieflyAndLaterUntilTheStoreMayBeSlow(int failures, int together, long limit,
			long until) {
		for (int i = 0; i < failures; i++) {
			on(new Unanswered(new Command.Create(0)));
		}
		Backoff backoff = this.state.backoff();
		assertThat(backoff.together()).isEqualTo(together);
		assertThat(backoff.limit(Duration.ofSeconds(2), TIMING.pollInterval())).isEqualTo(Duration.ofMillis(limit));
		assertThat(backoff.limit(Duration.ofMillis(1), TIMING.pollInterval())).isEqualTo(Duration.ofMillis(1));
		assertThat(backoff.until()).isEqualTo(this.now.plus(Duration.ofMillis(until)).nanos());
	}

	@Test
	void hasNotFailedAnyMoreAfterAnAnswerOrNewsOrTheFailureOfSomethingElse() {
		Lease vacant = lease("- 7.30");
		for (ElectionEvent event : List.of(new TakeRefused(vacant), new Created(false), new Created(true),
				new Released(vacant, null), new ReleaseRefused(vacant), new Unanswered(new Command.ReadLease()),
				new Unhindered(), new Pushed(lease("- 7.31"), false))) {
			run("begin 0 0; read - 7.30; unanswered; read - 7.30");
			assertThat(this.state.backoff().failures()).isEqualTo(1);
			on(event);
			assertThat(this.state.backoff().failures()).as("after %s", event).isZero();
		}
	}

	// Whatever happens

}
