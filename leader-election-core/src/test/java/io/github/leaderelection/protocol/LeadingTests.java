package io.github.leaderelection.protocol;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.TermState.Handover;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol} that are not plain scripts: how a term goes on, how
 * it is handed over or lost, and when the lease is given back.
 */
class LeadingTests extends ElectionScript {

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
	void unexpectedLeaseEndsTheTerm(String lease, @Nullable String leader, String pushed) {
		run("lead 8; pass 1");
		ElectionState before = this.state;
		run("push " + lease + "; " + switch (pushed) {
			case "doubts" -> "phase LEADING; due read";
			case "ends" -> "lost TAKEN_OVER";
			default -> "phase LEADING; next read in 2499";
		});
		this.state = before;
		// The first read may be answered by a server that is behind.
		run("read " + lease + (lease.contains(" 7.") ? "; read " + lease : "") + "; lost TAKEN_OVER");
		assertThat(this.state.leader("me")).isEqualTo(leader);
		assertThat(this.state.presentLease()).isEqualTo(lease(lease));
	}

	@ParameterizedTest
	@CsvSource({ "500, 1000", "6000, 5000" })
	void readsItsLeaseTwoToTenTimesPerTtl(long renewInterval, long millis) {
		Timing timing = new Timing(TTL, Duration.ofMillis(renewInterval), TIMING.margin(), TIMING.timeout(),
				TIMING.pollInterval(), TIMING.drainTimeout(), TIMING.cooldown());
		ElectionProtocol other = new ElectionProtocol("me", timing, this.sessions);
		this.state = other.on(this.state, ElectionEvent.taken(lease("me 8.31"), true, this.now), this.now);
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
	void ignoresEventsOfAnotherTermAndDuplicates() {
		ElectionEvent released = ElectionEvent.released(lease("me 8.31"), null);
		ElectionEvent expired = ElectionEvent.ended(8, LossReason.EXPIRED);
		ElectionEvent takenOver = ElectionEvent.ended(8, LossReason.TAKEN_OVER);
		ElectionEvent settled = ElectionEvent.settled(8);
		ElectionEvent resigned = ElectionEvent.resigned(LossReason.SHUTDOWN, null);
		ElectionEvent[] ofAnother = { ElectionEvent.ended(7, LossReason.EXPIRED), ElectionEvent.settled(7),
				ElectionEvent.released(lease("me 8.30"), null), ElectionEvent.pushed(lease("other 7.30"), false) };
		run("read other 7.29");
		assertIgnores(expired, takenOver, settled, resigned);
		run("lead 8");
		assertIgnores(ofAnother);
		assertIgnores(settled, released);
		run("resign RESIGNED");
		assertIgnores(ofAnother);
		assertIgnores(resigned, released);
		ElectionState draining = this.state;
		run("settled");
		assertIgnores(ofAnother);
		assertIgnores(expired, takenOver, settled, resigned);
		this.state = draining;
		run("end EXPIRED");
		assertIgnores(ofAnother);
		assertIgnores(expired, takenOver, resigned);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PAUSE", "LEAVE", "LEAD_ON" })
	void releasesAnUnwantedLeaseAtOnce(String wish) {
		run("read me 8.31; wish " + wish + "; due release 8.31; done; phase NONE");
		run("begin 0 0; wish " + wish + "; push me 8.31; due release 8.31");
		// It was taken in the meantime.
		run("begin 0 0; read - 7.30");
		Command.Take take = (Command.Take) due();
		run("wish " + wish);
		on(ElectionEvent.taken(lease("me 8.31"), true, this.now));
		run("leader -; not over; due release %d.31; done; phase NONE".formatted(take.term()));
	}

}
