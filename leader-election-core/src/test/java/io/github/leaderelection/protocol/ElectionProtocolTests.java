package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.ElectionEvent.Created;
import io.github.leaderelection.protocol.ElectionEvent.Doubted;
import io.github.leaderelection.protocol.ElectionEvent.Elapsed;
import io.github.leaderelection.protocol.ElectionEvent.Ended;
import io.github.leaderelection.protocol.ElectionEvent.Hinted;
import io.github.leaderelection.protocol.ElectionEvent.HintedBy;
import io.github.leaderelection.protocol.ElectionEvent.Pushed;
import io.github.leaderelection.protocol.ElectionEvent.Read;
import io.github.leaderelection.protocol.ElectionEvent.ReadDamage;
import io.github.leaderelection.protocol.ElectionEvent.ReleaseRefused;
import io.github.leaderelection.protocol.ElectionEvent.Released;
import io.github.leaderelection.protocol.ElectionEvent.Resigned;
import io.github.leaderelection.protocol.ElectionEvent.Settled;
import io.github.leaderelection.protocol.ElectionEvent.TakeRefused;
import io.github.leaderelection.protocol.ElectionEvent.Taken;
import io.github.leaderelection.protocol.ElectionEvent.Unanswered;
import io.github.leaderelection.protocol.ElectionEvent.Unhindered;
import io.github.leaderelection.protocol.ElectionEvent.Unvouched;
import io.github.leaderelection.protocol.ElectionEvent.Wished;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
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

	/** Each step checks that what is next is due when it was said to be. */
	@Test
	void isPunctualWhateverHappens() {
		for (int seed = 0; seed < 150; seed++) {
			Random random = new Random(seed * 0x9E3779B97F4A7C15L);
			begin(0, 0);
			for (int step = 0; step < 150; step++) {
				ElectionState before = this.state;
				ElectionEvent event = any(random);
				if (event != null) {
					on(event);
				}
				String what = "seed=%d step=%d: %s".formatted(seed, step, event);
				assertThat(this.state.highestTerm()).as(what).isGreaterThanOrEqualTo(before.highestTerm());
				if (this.state.isIn(Phase.LEADING) && !before.isIn(Phase.LEADING)) {
					assertThat(event).as(what).isInstanceOf(Taken.class);
				}
				if (due() instanceof Command.Take take) {
					assertThat(take.term()).as(what).isGreaterThan(this.state.highestTerm());
				}
				on(new Elapsed());
			}
		}
	}

	private @Nullable ElectionEvent any(Random random) {
		boolean pushed = random.nextBoolean();
		long number = this.state.highestTerm();
		LossReason reason = pick(random, LossReason.values());
		return switch (random.nextInt(28)) {
			case 0, 1, 2 -> new Read(anyLease(random), this.now, pushed);
			case 3 -> new ReadDamage(pushed);
			case 4, 5 -> new Pushed(anyPresentLease(random), pushed);
			case 6 -> new Doubted();
			case 7 -> new Hinted();
			case 8 -> new HintedBy(this.now.plus(Duration.ofMillis(random.nextInt(1_000))).nanos());
			case 9 -> new Ended(number, pushed ? LossReason.EXPIRED : LossReason.TAKEN_OVER);
			case 10 -> new Resigned(reason, pushed ? "other" : null);
			case 11 -> new Settled(number, random.nextInt(8) == 0 && this.state.wish() == Wish.LEAVE);
			case 12 -> new Unhindered();
			case 13 -> new Unvouched();
			case 14 -> new Wished(pick(random, Wish.values()));
			case 15, 16 -> new Wished(Wish.LEAD);
			case 17, 18, 19, 20, 21 -> answer(random, due());
			case 22, 23 -> {
				this.holder = anyHolder(random);
				yield null;
			}
			default -> {
				pass(pick(random, 1, 99, 300, 625, 1_000, 2_500, 10_000), false);
				yield null;
			}
		};
	}

	private @Nullable ElectionEvent answer(Random random, @Nullable Command command) {
		if (command == null) {
			return null;
		}
		if (random.nextInt(4) == 0) {
			return new Unanswered(command);
		}
		boolean done = random.nextInt(4) > 0;
		if (command instanceof Command.Take take) {
			Lease own = new Lease("jobs", "me", SESSION, take.term(), take.expected().revision() + 1, TTL, null, null);
			return done ? new Taken(own, random.nextInt(4) > 0, this.now) : new TakeRefused(take.expected());
		}
		if (command instanceof Command.Release release) {
			return done ? new Released(release.expected(), release.successor())
					: new ReleaseRefused(release.expected());
		}
		if (command instanceof Command.Expire expire) {
			this.holder = new Observation(expire.silent().expired(), this.now.nanos(), this.now.nanos());
			return null;
		}
		if (command instanceof Command.Bury bury) {
			sees(bury.tombstone());
			return new Unhindered();
		}
		return (command instanceof Command.Create) ? new Created(done) : null;
	}

	private @Nullable Observation anyHolder(Random random) {
		Duration ttl = (random.nextInt(4) == 0) ? Duration.ofMillis(100) : TTL;
		Session seen = switch (random.nextInt(4)) {
			case 0 -> null;
			case 1 -> new Session("other", SESSION, 9, ttl, null, true);
			default -> new Session("other", SESSION, random.nextInt(3), ttl, null, false);
		};
		return (random.nextInt(8) > 0) ? this.sessions.observe(this.holder, seen, this.now, HEAD_START) : null;
	}

	private @Nullable Lease anyLease(Random random) {
		return (random.nextInt(6) > 0) ? anyPresentLease(random) : null;
	}

	private Lease anyPresentLease(Random random) {
		TermState term = this.state.term();
		Lease known = (term != null) ? term.lease() : this.state.presentLease();
		if (known != null && random.nextBoolean()) {
			return switch (random.nextInt(6)) {
				case 0 -> known.paused(!known.paused());
				case 1 -> known.asking(new HandoverRequest(known.term(), "other", "other"));
				default -> known;
			};
		}
		String name = pick(random, "me", "other", "");
		Duration ttl = (random.nextInt(4) == 0) ? Duration.ofMillis(100) : TTL;
		return new Lease("jobs", name.isEmpty() ? null : name, random.nextInt(6),
				Math.max(0, this.state.highestTerm() + random.nextInt(3) - 1), random.nextInt(400), ttl, null,
				(name.isEmpty() && random.nextBoolean()) ? "other" : null);
	}

	@SafeVarargs
	private static <T> T pick(Random random, T... choices) {
		return choices[random.nextInt(choices.length)];
	}

}
