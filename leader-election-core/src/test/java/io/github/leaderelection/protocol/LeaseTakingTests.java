package io.github.leaderelection.protocol;

import java.util.stream.Stream;

import io.github.leaderelection.Scripts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol}: when the lease is taken, and when it is not.
 */
class LeaseTakingTests extends ElectionScript {

	static Stream<Arguments> takes() {
		return Scripts
			.of("""
					creates and takes at once what nobody ever saw
					  due read; read none; due create 0; done; due read; read - 0.0; due take 1
					does not insist on creating what it is told exists
					  read none; refused; due read; read none; after 1000 create 0
					takes at once what is vacant, was left to it, or is its own
					  read - 7.30; due take 8; read >me 7.31; due take 8; read me 7.32; due take 8
					takes term above all that it has seen, after a ttl in which who led may find out that the lease has gone back
					  read other 9.40; read - 7.12; after 10000 take 10
					leaves alone what was made by a late request in place of a lease that was removed
					  read other 9.40; read none; pass 5000 reading; read - 8.0; after 10000 take 10
					ends the session of whoever holds a lease that has gone back without a delay, and takes it after a ttl
					  begin 40 0; read other 7.30; holder none; after 300 bury; holder tombstone; after 10000 expire
					leaves it alone for the longer ttl of both
					  read other 9.40; read - 7.12/40000; after 40000 take 10
					leaves alone its own lease that has gone back
					  read other 9.40; read me 7.13; after 10000 take 10
					remembers the highest term, and its cooldown
					  begin 40 2000; read - 40.30; after 2000 take 41
					remembers a term above that of the lease
					  begin 40 2000; read - 7.30; after 10000 take 41
					lets a successor have its way for two poll intervals, whatever session there is
					  read >other 7.30; next read in 1000; pass 1500 reading; next read in 500; holder ended; after 500 take 8
					is elected by the answer to its taking alone
					  read me 8.31; phase NONE; leader -; due take 9; done; phase LEADING; leader me
					does not lead without a session, but takes again
					  read - 7.30; late; phase NONE; due read; read me 8.31; due take 9
					does not lead by an answer that is too late, but takes again
					  read - 7.30; send; pass 9000 reading; done; phase NONE; due read; read me 8.31; due take 9
					leads by the last answer that is not too late
					  read - 7.30; send; pass 8999 reading; done; phase LEADING; deadline 1
					reads again when somebody else was faster
					  read - 7.30; refused; due read; read other 8.31; holder 1; next read in 1000
					waits when it looks as if it could be taken, and can't
					  read - 7.30; refused; read - 7.30; after 1000 take 8
					takes at once what has changed since it could not be taken
					  read - 7.30; refused; read me 8.31; due take 9; refused; push - 9.33; read - 9.33; due take 10
					takes nothing while this process is paused, but follows
					  wish PAUSE; read - 7.30; pass 20000 reading; next read in 1000; leader -; wish LEAD; due read
					takes nothing while the election is paused, and takes it at once when it is resumed
					  read - 7.30 paused; pass 20000 reading; next read in 1000; push - 7.31; due take 8
					goes along with reads of others when its own is half due
					  is going along; read other 7.30; holder 1; pass 499; not going along; pass 1; is going along
					  wish PAUSE; is going along
					""");
	}

	static Stream<Arguments> takesFromOthers() {
		return Scripts
			.of("""
					ends the session of whoever is silent, which goes first in taking the lease
					  read other 7.30; due read holder; holder 1; next read in 1000; after 10000 expire; done; due take 8
					takes a lease later whose session somebody else has ended
					  read other 7.30; holder 1; holder ended; after 300 take 8
					leaves the lease to whoever renews
					  read other 7.30; holder 1; pass 9999 reading; holder 2; pass 9999 reading; holder 3; after 10000 expire
					waits for the ttl of the holder, not for its own
					  read other 7.30/60000; holder 1; after 60000 expire
					counts the silence on if the lease is taken under the same revision
					  read other 7.30; holder 1; pass 9000 reading; read other 9.32; after 1000 expire
					does not mind the wall clock
					  read other 7.30; holder 1; jump 86400000; due nothing; jump -172800000; after 10000 expire
					inserts a tombstone for whoever has no session, unless the lease was given back, and ends that after its ttl
					  read other 7.30; holder none; after 300 bury; pass 60000 reading; holder tombstone; after 10000 expire
					does not spin until its turn has come if the session was removed after its end
					  read other 7.30/100; holder 1; holder ended; holder none; after 300 bury
					""");
	}

	static Stream<Arguments> doubts() {
		return Scripts
			.of("""
					reads before it tries again what was not answered
					  read - 7.30; unanswered; is doubtful; next read in 1000; after 1000 take 8; done; not doubtful
					takes again under another term what has come true late
					  read - 7.30; unanswered; pass 1000; due read; read me 8.31; not doubtful; due take 9
					pauses longer with each change that is not answered, until somebody could change it
					  read - 7.30; unanswered; after 1000 take 8; unanswered; after 2000 take 8; unanswered; after 4000 take 8
					  unanswered; after 8000 take 8; unanswered; after 8000 take 8
					  push - 7.31; unanswered; after 1000 take 8
					pauses for a poll interval after a read that was not answered
					  read other 7.30; holder 1; pass 10000; due read; unanswered; next read in 1000; after 1000 expire
					  unanswered; after 1000 expire
					makes a taking come to nothing that it does not want any more
					  read >me 7.30; unanswered; wish LEAVE; not over; next read in 1000; after 1000 release 7.30 > me
					  done; due read; read >me 7.31; is over; next nothing
					does not insist on that
					  read - 7.30; unanswered; wish LEAVE; after 1000 release 7.30; refused; due read; read - 7.30
					  after 1000 release 7.30
					does not delay whoever joins again meanwhile
					  read - 7.30; unanswered; wish LEAVE; after 1000 release 7.30; wish LEAD; read - 7.31; due take 8
					keeps the doubt in a taking that may have been one of several
					  read - 7.30; refused; wish LEAVE; read - 7.30; is doubtful; read other 8.31; is over
					takes at once what is pushed to be its own
					  read - 7.30; unanswered; push me 8.31; not doubtful; phase NONE; due take 9
					""");
	}

	static Stream<Arguments> missing() {
		return Scripts
			.of("""
					treats a vanished lease as held for the ttl that it had
					  read other 7.30/40000; pass 5000; read none; after 40000 create 7
					treats it so even if it was vacant
					  read - 7.30; read none; after 10000 create 7
					treats it so even if it was its own
					  read me 8.31; read none; after 10000 create 8
					counts again when the lease was there in between
					  read other 7.30; read none; pass 9000 reading; read other 7.30; read none; after 10000 create 7
					counts again when damage was removed
					  read other 7.30; pass 9000; read damage; pass 9000; read none; after 10000 create 7
					treats it as held for its own ttl if it only knows that there was one
					  begin 7 0; read none; after 10000 create 7
					treats it as held for its own ttl if it only knows that there was damage
					  read damage; read none; after 10000 create 0
					takes a term above the highest known when another has made it anew, who may not have known that there was one
					  read other 7.30; read none; read - 0.0; after 10000 take 8; begin 9 0; read - 0.0; after 10000 take 10
					takes it at once when another has made it anew who did
					  read other 7.30; read none; read - 7.0; due take 8
					""");
	}

	static Stream<Arguments> damaged() {
		return Scripts
			.of("""
					keeps away from what is no lease, though there was one to be taken
					  read - 7.30; read damage; is damaged; next read in 1000; pass 20000; due read; read damage; next read in 1000
					keeps away from what is no lease, though the holder is silent
					  read other 7.30; holder 1; read damage; pass 20000; read damage; next read in 1000
					reads it more rarely where changes are pushed
					  pushes true; read damage; next read in 2500
					waits for a poll interval before it takes what it reads to be repaired
					  read damage; read - 7.30; after 1000 take 8
					waits for a poll interval before it takes what is pushed to be repaired
					  read damage; push - 7.30; after 1000 take 8
					takes the last term but one, and nothing after that
					  read - 9007199254740990.30; due take 9007199254740991; done; deadline 9000
					  end EXPIRED; settled; done; read - 7.33; next read in 1000
					""");
	}

	/** For whoever wants to know that there is no use in waiting. */
	static Stream<Arguments> heldElsewhere() {
		return Scripts.of("""
				by whoever lives
				  not held elsewhere; read other 7.30; not held elsewhere; holder 1; is held elsewhere
				  pass 9999 reading; is held elsewhere; pass 1; not held elsewhere; holder 2; is held elsewhere
				  wish LEAVE; not held elsewhere; wish LEAD; is held elsewhere; holder ended; not held elsewhere
				not by who has no session, however long one is watched in its place
				  read other 7.30; holder none; not held elsewhere; holder tombstone; not held elsewhere
				  pass 9999 reading; not held elsewhere
				not if it can be taken, or is led
				  read other 7.30; holder 1; read - 7.31; not held elsewhere; read me 8.32; not held elsewhere
				  lead 9; not held elsewhere
				while nobody can tell
				  read none; not held elsewhere; read damage; is held elsewhere; read other 7.30; read none
				  pass 9999 reading; is held elsewhere; pass 1; not held elsewhere
				""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "takes", "takesFromOthers", "doubts", "missing", "damaged", "heldElsewhere" })
	void rule(String rule, String script) {
		run(script);
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			# what is read; whether a taking of revision 30 can't come true any more
			other 7.31, true
			other 8.30, true
			none,       true
			other 6.28, false
			other 7.29, false
			damage,     false
			""")
	void isInDoubtUntilTheLeaseHasMovedOn(String shown, boolean over) {
		run("read - 7.30; unanswered; wish LEAVE; pass 1000; read " + shown);
		run(over ? "not doubtful; is over; next nothing" : "is doubtful; not over; next read in 1000");
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", quoteCharacter = '"', textBlock = """
			# the highest term seen before; the lease: term, revision; what is wrong
			7,                7.30,                -
			7,                9007199254740990.30, -
			9007199254740990, 9007199254740990.31, -
			7,                7.9007199254740989,  -
			7,                9007199254740991.30, 'term' must be 9007199254740990 at most
			7,                7.9007199254740990,  'revision' must be 9007199254740989 at most
			9007199254740991, 7.30,                Restart all instances
			""")
	void takesNothingThatNobodyCouldTakeAgain(long highest, String lease, @Nullable String flaw) {
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
	void changesThatComeToNothingDoNotKeepItBusy(String wish) {
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
