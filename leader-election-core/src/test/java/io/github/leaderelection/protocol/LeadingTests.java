package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.ElectionEvent.Ended;
import io.github.leaderelection.protocol.ElectionEvent.Pushed;
import io.github.leaderelection.protocol.ElectionEvent.Released;
import io.github.leaderelection.protocol.ElectionEvent.Resigned;
import io.github.leaderelection.protocol.ElectionEvent.Settled;
import io.github.leaderelection.protocol.TermState.Handover;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol}: how a term goes on, and how it is handed over or
 * lost.
 */
class LeadingTests extends ElectionScript {

	static Stream<Arguments> leads() {
		return Scripts
			.of("""
					is sure of its lease while it leads or drains
					  deadline 10000; lead 8; deadline 9000; resign RESIGNED; pass 1; deadline 8999; settled; deadline 10000
					is sure of its lease for its ttl without the margin, from before the taking was sent
					  read - 7.30; send; pass 700; done; next read in 1800; deadline 8300
					is sure of its lease for its ttl without the margin, from before the read was sent
					  lead 8; send; pass 3000; read me 8.31; deadline 6000; pass 5999; elapsed; phase LEADING
					  pass 1; elapsed; lost EXPIRED; deadline 10000
					is not sure of it for longer by a read that is too late
					  lead 8; pass 9000; deadline 0; read me 8.31; lost EXPIRED
					is not sure of it for longer by a monotonic clock that stands still
					  lead 8; jump 9000; deadline 0; read me 8.31; lost EXPIRED
					is not sure of it for longer by a wall clock that was set back
					  lead 8; jump -86400000; deadline 9000; pass 9000; elapsed; lost EXPIRED
					reads its lease as often as it renews
					  lead 8; next read in 2500; pass 2500; read me 8.31; next read in 2500
					goes along with reads of others half a renew interval earlier
					  lead 8; pass 1249; not going along; pass 1; is going along; resign RESIGNED; is going along
					  settled; not going along
					reads again soon after a read that was not answered
					  lead 8; unanswered; next read in 625; pass 625; due read; unanswered; next read in 625; phase LEADING
					goes on under a lease that was touched only, and keeps the latest that it knows
					  lead 8; push me 8.35; read me 8.31; read me 8.34; phase LEADING; resign SHUTDOWN; settled; due release 8.35
					reads again if a server shows an earlier term, each time anew
					  lead 8; pass 2500; read other 7.40; phase LEADING; leader me; next read in 625; pass 625
					  read me 8.31; next read in 2500; pass 2500; read - 6.40; phase LEADING; next read in 625
					  read - 6.41; lost TAKEN_OVER
					ends by no lease
					  lead 8; read none; lost TAKEN_OVER; leader -; settled; read none; after 10000 create 8
					ends by damage
					  lead 8; read damage; lost TAKEN_OVER; leader -; is damaged
					reads at once what is pushed to be gone
					  lead 8; pass 1; doubt; phase LEADING; due read; read me 8.31; next read in 2500
					reads no more often than it polls because of changes that tell nothing
					  lead 8; pass 1; hint; next read in 1000; pass 1000; read me 8.31; pass 2000; hint; next read in 500
					""");
	}

	static Stream<Arguments> handsOver() {
		return Scripts
			.of("""
					goes on to read its lease, and to lead, while it drains
					  lead 8; resign RESIGNED; leader me; next read in 2500; pass 2500; read me 8.31; phase DRAINING; leader me
					  settled; leader -; due release 8.31
					ends by what it reads while it drains as well
					  lead 8; resign RESIGNED; read other 9.32; lost TAKEN_OVER; leader other; settled; phase NONE
					ends with its session while it drains as well
					  lead 8; resign RESIGNED; end EXPIRED; lost EXPIRED
					loses the term when the drain takes too long
					  lead 8; resign RESIGNED; pass 24999 reading; read me 8.31; elapsed; phase DRAINING; deadline 1
					  pass 1; elapsed; lost RESIGNED timed-out
					hands over to whom it reads that it is asked for
					  lead 8; read me 8.32 asks 8 heir; phase DRAINING; settled; due release 8.32 > heir
					hands over to whom it is pushed that it is asked for
					  lead 8; push me 8.32 asks 8 heir; phase DRAINING; settled; due release 8.32 > heir
					hands over to anybody if it is asked for nobody
					  lead 8; read me 8.32 asks 8 -; phase DRAINING; settled; due release 8.32
					ignores what it asks of itself, or of another term, or as another holder
					  lead 8; read me 8.32 asks 8 me; read me 8.33 asks 7 heir; read me 8.34 asks 9 heir; push me 7.35 asks 8 heir
					  push other 8.36 asks 8 heir; phase LEADING
					is asked for nothing while it does not lead
					  read me 8.31 asks 8 heir; phase NONE; due take 9
					hands over when the election is paused, and leads again when it is resumed
					  lead 8; read me 8.32 paused; phase DRAINING; settled; done; read - 8.33 paused; pass 60000 reading
					  next read in 1000; push - 8.34; due take 9
					hands over when this process is paused
					  lead 8; wish PAUSE; phase DRAINING; settled; due release 8.31; done; not over; next read in 0
					hands over when this process leaves
					  lead 8; wish LEAVE; phase DRAINING; not over; settled; due release 8.31; done; is over; next nothing
					leads on while this process is about to close, and takes nothing more
					  lead 8; wish LEAD_ON; pass 5000 reading; phase LEADING; resign SHUTDOWN; settled; done; read - 8.32; next nothing
					""");
	}

	static Stream<Arguments> loses() {
		return Scripts.of("""
				ends when its session has run out
				  lead 8; end EXPIRED; lost EXPIRED; leader -
				ends when somebody has ended its session
				  lead 8; end TAKEN_OVER; lost TAKEN_OVER; leader -
				follows while the work of the lost term ends
				  lead 8; end EXPIRED; due read; is going along; read other 9.40; leader other; not going along
				  pass 500; is going along; next read in 500; hint; due read; unanswered; next read in 1000
				sees who leads by what is pushed while the work ends
				  lead 8; end EXPIRED; read me 8.31; push other 9.40; leader other; phase LINGERING
				follows no more once it has left, but finds out whether it has anything to give back
				  lead 8; end TAKEN_OVER; wish LEAVE; next read in 1000; pass 1000; read other 9.32; next nothing
				does not lead again before the work of the lost term has ended
				  lead 8; end EXPIRED; read me 8.31; after 1000 release 8.31; done; phase LINGERING; read - 8.32
				  pass 60000 reading; next read in 1000; settled; phase NONE; due read; read - 8.32; due take 9
				""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "leads", "handsOver", "loses" })
	void rule(String rule, String script) {
		run(script);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			# what is read or pushed; who leads then; what that does if it is pushed, and may be late
			- 8.0,           -,     doubts
			- 8.31,          -,     doubts
			other 8.40,      other, doubts
			other 9.2,       other, ends
			me 9.32,         -,     ends
			me#4 8.31,       -,     nothing
			me#2 8.31,       -,     nothing
			me 8.31/10001,   -,     nothing
			other 7.30,      other, nothing
			- 7.30,          -,     nothing
			""")
	void endsTheTermByWhatIsNotItsLease(String lease, @Nullable String leader, String pushed) {
		run("lead 8; pass 1");
		ElectionState before = this.state;
		run("push " + lease + "; " + switch (pushed) {
			case "doubts" -> "phase LEADING; due read";
			case "ends" -> "lost TAKEN_OVER";
			default -> "phase LEADING; next read in 2499";
		});
		this.state = before;
		// The first may be of a server that is behind.
		run("read " + lease + (lease.contains(" 7.") ? "; read " + lease : "") + "; lost TAKEN_OVER");
		assertThat(this.state.leader("me")).isEqualTo(leader);
		assertThat(this.state.presentLease()).isEqualTo(lease(lease));
	}

	@ParameterizedTest
	@CsvSource({ "500, 1000", "6000, 5000" })
	void readsItsLeaseAtLeastTwiceAndAtMostTenTimesInTtl(long renewInterval, long millis) {
		Timing timing = new Timing(TTL, Duration.ofMillis(renewInterval), TIMING.margin(), TIMING.timeout(),
				TIMING.pollInterval(), TIMING.drainTimeout(), TIMING.cooldown());
		ElectionProtocol other = new ElectionProtocol("me", timing, this.sessions);
		this.state = other.on(this.state, new ElectionEvent.Taken(lease("me 8.31"), true, this.now), this.now);
		run("next read in " + millis);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			resign CALLBACK_FAILED heir,  CALLBACK_FAILED, heir, -
			wish LEAVE,                   SHUTDOWN,        -,    -
			wish PAUSE,                   RESIGNED,        -,    -
			push me 8.32 paused,          RESIGNED,        -,    -
			push me 8.32 asks 8 heir,     RESIGNED,        heir, other
			""")
	void handsOverOnceAndRemembersWhy(String step, LossReason reason, @Nullable String successor, @Nullable String by) {
		run("lead 8; pass 1; " + step);
		Handover handover = new Handover(reason, successor, by, this.now);
		assertThat(this.state.term().handover()).isEqualTo(handover);
		run("pass 1; wish LEAVE; resign SHUTDOWN");
		assertThat(this.state.term().handover()).isEqualTo(handover);
		run("end EXPIRED");
		assertThat(this.state.term().handover()).isEqualTo(handover);
	}

	@Test
	void ignoresWhatIsOfAnotherTermOrComesTwice() {
		Released released = new Released(lease("me 8.31"), null);
		Ended expired = new Ended(8, LossReason.EXPIRED);
		Ended takenOver = new Ended(8, LossReason.TAKEN_OVER);
		Settled settled = new Settled(8, false);
		Settled butForClosers = new Settled(8, true);
		Resigned resigned = new Resigned(LossReason.SHUTDOWN, null);
		ElectionEvent[] ofAnother = { new Ended(7, LossReason.EXPIRED), new Settled(7, false), new Settled(7, true),
				new Released(lease("me 8.30"), null), new Pushed(lease("other 7.30"), false) };
		run("read other 7.29");
		assertIgnores(expired, takenOver, settled, butForClosers, resigned);
		run("lead 8");
		assertIgnores(ofAnother);
		assertIgnores(settled, butForClosers, released);
		run("resign RESIGNED");
		assertIgnores(ofAnother);
		assertIgnores(resigned, released);
		ElectionState draining = this.state;
		run("settled");
		assertIgnores(ofAnother);
		assertIgnores(expired, takenOver, settled, butForClosers, resigned);
		this.state = draining;
		run("end EXPIRED");
		assertIgnores(ofAnother);
		assertIgnores(expired, takenOver, resigned);
	}

}
