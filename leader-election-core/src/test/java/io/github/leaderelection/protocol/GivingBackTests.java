package io.github.leaderelection.protocol;

import java.util.stream.Stream;

import io.github.leaderelection.Scripts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests for {@link ElectionProtocol}: when a lease is given back that is held and not
 * led, and what comes after.
 */
class GivingBackTests extends ElectionScript {

	static Stream<Arguments> afterTerm() {
		return Scripts
			.of("""
					releases when the work has ended, and not before, and reads what there is
					  lead 8; resign SHUTDOWN heir; next read in 2500; settled; due release 8.31 > heir; done; phase NONE; due read
					  leader -; read >heir 8.32; next read in 1000
					gives back a margin after the term has expired
					  lead 8; end EXPIRED; read me 8.31; after 1000 release 8.31
					leaves nothing to a successor if the term has expired in the middle of the drain
					  lead 8; resign RESIGNED heir; end EXPIRED; read me 8.31; after 1000 release 8.31
					gives back its ttl after a drain that took too long
					  lead 8; resign RESIGNED; pass 25000 reading; elapsed; lost RESIGNED timed-out; after 10000 release 8.31
					gives back at once when the work of an expired term has ended
					  lead 8; end EXPIRED; settled; due release 8.31; done; phase NONE; due read
					gives back at once when the work has ended that took too long
					  lead 8; resign SHUTDOWN; pass 25000 reading; elapsed; settled; due release 8.31; done; phase NONE; due read
					gives back no earlier because calls were not answered
					  lead 8; end EXPIRED; unanswered; pass 999; due nothing; pass 1; due release 8.31
					gives back no earlier because calls were not answered after a drain that took too long
					  lead 8; resign RESIGNED; pass 25000 reading; elapsed; unanswered; pass 1000; unanswered; pass 8000; unanswered
					  next release 8.31 in 1000
					pauses longer with each release that was not answered
					  lead 8; resign SHUTDOWN; settled; unanswered; next release 8.31 in 1000; pass 1000; unanswered
					  next release 8.31 in 2000; pass 2000; unanswered; next release 8.31 in 4000; pass 4000; done; phase NONE
					pauses if the release of a lost term was not answered
					  lead 8; end EXPIRED; read me 8.31; after 1000 release 8.31; unanswered; pass 625; due nothing; after 375 release 8.31
					has no time for pauses while it closes
					  lead 8; wish LEAVE; settled; unanswered; next release 8.31 in 625; pass 625; unanswered
					  next release 8.31 in 625; pass 625; unanswered; next release 8.31 in 625; pass 625; done; is over
					gives back what it has lost for reasons that have passed: what shows nothing, or is older, may be behind
					  lead 8; read none; lost TAKEN_OVER; pass 1000; due read; read other 7.40; next read in 1000; pass 1000
					  read - 8.30; next read in 1000; pass 1000; read damage; next read in 1000; pass 1000
					  read me 8.31; due release 8.31
					does so if the work has ended, unless the term is an earlier one, which may be there for good
					  lead 8; end TAKEN_OVER; settled; due read; read - 8.30; next read in 1000; pass 1000
					  read damage; next read in 1000; pass 1000; read me 8.31; due release 8.31
					takes part again where the lease was made anew with an earlier term
					  lead 8; end TAKEN_OVER; settled; read other 2.3; phase NONE; read - 2.4; after 10000 take 9
					takes again, or gives back, what is there after all
					  lead 8; end TAKEN_OVER; settled; read other 2.3; phase NONE; read me 8.31; due take 9
					gives back what somebody has changed meanwhile
					  lead 8; end EXPIRED; read me 8.31; after 1000 release 8.31; refused; due read; read me 8.32 paused
					  due release 8.32; refused; read other 9.40; phase LINGERING; holder 1; next read in 1000
					gives nothing back that somebody else has
					  lead 8; end TAKEN_OVER; read other 9.32; holder 1; pass 60000 reading; next read in 1000; settled; phase NONE
					finds that it has nothing to give back when the work has ended first
					  lead 8; end TAKEN_OVER; settled; due read; read other 9.32; phase NONE; read - 9.33; due take 10
					gives back what a read does not show, for that may be behind, unless it is refused
					  lead 8; resign SHUTDOWN; settled; read none; due release 8.31; refused; due read; read none; phase NONE
					gives back in time what it knew to be its own though it reads damage
					  lead 8; end EXPIRED; read damage; pass 1000; read damage; due release 8.31
					reads before it gives back what is pushed to be gone
					  lead 8; end EXPIRED; read me 8.31; pass 1; doubt; due read; read me 8.31; after 999 release 8.31
					has no cooldown when the term was lost
					  lead 8; end EXPIRED; settled; done; read - 8.32; due take 9
					waits for the longest of all reasons
					  lead 8; resign RESIGNED; settled; done; read none; pass 100; refused; read - 8.32; after 2400 take 9
					""");
	}

	static Stream<Arguments> withoutTerm() {
		return Scripts
			.of("""
					has left at once when it does not lead, and may come back
					  read other 7.30; wish LEAVE; is over; next nothing; wish LEAD; due read
					gives back what has come true late, and is not wanted any more
					  read - 7.30; unanswered; wish LEAVE; pass 1000; read me 8.31; not doubtful; due release 8.31; done; is over
					gives back what is pushed to have come true late, and is not wanted any more
					  read - 7.30; unanswered; wish LEAVE; push me 8.31; due release 8.31
					gives back what it reads that it holds during its cooldown
					  lead 8; resign RESIGNED; settled; done; read me 9.40; due release 9.40
					gives back what is pushed that it holds during its cooldown
					  lead 8; resign RESIGNED; settled; done; push me 9.40; due release 9.40
					gives back what it holds of a paused election
					  read me 8.31 paused; due release 8.31
					gives back what it has no session for
					  read me 8.31; unvouched; due release 8.31
					gives nothing back that another holds, or nobody
					  unvouched; phase NONE; read other 7.30; unvouched; phase NONE; wish LEAVE; phase NONE
					  read none; unvouched; phase NONE
					gives back later what is there though it was given back
					  read me 8.31; wish LEAD_ON; done; read me 8.31; next release 8.31 in 1000
					""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "afterTerm", "withoutTerm" })
	void rule(String rule, String script) {
		run(script);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			resign RESIGNED,                     true
			resign CALLBACK_FAILED,              true
			resign CALLBACK_FAILED; end EXPIRED, true
			resign SHUTDOWN,                     false
			resign SHUTDOWN; end EXPIRED,        false
			""")
	void standsDownForTheCooldownIfTheReasonsWillLast(String steps, boolean standsDown) {
		run("lead 8; " + steps + "; settled; done; read - 8.32");
		run(standsDown ? "after 2500 take 9" : "due take 9");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PAUSE", "LEAVE", "LEAD_ON" })
	void givesBackAtOnceWhatItHoldsAndDoesNotWantToLead(String wish) {
		run("read me 8.31; wish " + wish + "; due release 8.31; done; phase NONE");
		run("begin 0 0; wish " + wish + "; push me 8.31; due release 8.31");
		// Taken meanwhile.
		run("begin 0 0; read - 7.30");
		Command.Take take = (Command.Take) due();
		run("wish " + wish);
		on(new ElectionEvent.Taken(lease("me 8.31"), true, this.now));
		run("leader -; not over; due release %d.31; done; phase NONE".formatted(take.term()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "end EXPIRED; " })
	void leavesTheLeaseAsItIsToThoseWhoWaitForThisProcessToClose(String lost) {
		run("lead 8; wish LEAVE; " + lost + "settled but for closers; is over; next nothing");
		run("push me 8.31; read me 8.31; unanswered; pass 60000; read me 8.31; is over; next nothing");
	}

}
