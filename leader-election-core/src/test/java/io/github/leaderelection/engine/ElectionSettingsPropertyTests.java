package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Any durations are either refused with an explanation, or they fit together, and nothing
 * overflows when the protocol calculates with them.
 */
class ElectionSettingsPropertyTests {

	private static final Set<String> NAMES = Set.of("ttl", "renew-interval", "safety-margin", "operation-timeout",
			"poll-interval", "drain-timeout", "cooldown");

	/** Long before and long after any date that a clock was ever set to. */
	private static final long FAR = 1_000_000_000_000_000_000L;

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void settingsAreConsistentOrRejectedWithARemedy(@ForAll("anySettings") List<Duration> durations) {
		ElectionSettings settings;
		try {
			settings = settings(durations);
		}
		catch (InvalidSettingException ex) {
			assertThat(ex.getName()).isIn(NAMES);
			assertThat(ex.getMessage()).contains(ex.getName(), ex.getValue(), ex.getRemedy());
			assertThat(ex.getValue()).isNotBlank();
			assertThat(ex.getRemedy()).isNotBlank();
			return;
		}
		assertFit(settings);
	}

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void electionProtocolDoesNotOverflowWithValidSettings(@ForAll("validSettings") ElectionSettings settings,
			@ForAll("anyLong") long nanos, @ForAll("anyDate") long millis, @ForAll("anyDate") long laterMillis) {
		Moment now = new Moment(nanos, millis);
		ElectionProtocol protocol = new ElectionProtocol("me", settings.timing(),
				new SessionProtocol("me", settings.timing(), () -> 1));
		ElectionState begun = protocol.on(protocol.begin("x", 0, nanos, now), ElectionEvent.wished(Wish.LEAD), now);
		Lease lease = new Lease("x", "me", 1, 1, 1, settings.ttl(), null, null, null, false);
		ElectionState led = protocol.on(begun, ElectionEvent.taken(lease, true, now), now);
		assertThat(led.term()).isNotNull();
		assertThat(led.term().nextCall() - nanos).isPositive().isLessThan(settings.ttl().toNanos());
		// The wall clock may be set to anything meanwhile. That may end a term, but no
		// drain times out by it.
		Moment jumped = new Moment(nanos + 1, laterMillis);
		ElectionState draining = protocol.on(led, ElectionEvent.resigned(LossReason.RESIGNED, null), now);
		for (ElectionState state : List.of(begun, led, draining,
				protocol.on(led, ElectionEvent.unanswered(new Command.ReadLease()), now),
				protocol.on(led, ElectionEvent.ended(1, LossReason.EXPIRED), now),
				protocol.on(draining, ElectionEvent.settled(1), now))) {
			Due next = protocol.next(state, null, jumped);
			assertThat(next).isNotNull();
			assertThat(next.at() - jumped.nanos()).isLessThanOrEqualTo(settings.ttl().toNanos());
			assertThat(protocol.deadlineAt(state, jumped) - jumped.nanos())
				.isLessThanOrEqualTo(Timing.longer(settings.ttl(), settings.drainTimeout()).toNanos());
		}
		boolean ended = protocol.on(draining, ElectionEvent.elapsed(), jumped).isIn(TermState.Phase.STOPPING);
		boolean over = led.term().validUntil().hasComeAt(jumped);
		assertThat(ended).isEqualTo(over || settings.drainTimeout().isZero());
		assertThat(jumped.isDue(protocol.deadlineAt(draining, jumped))).isEqualTo(ended);
	}

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void sessionProtocolDoesNotOverflowWithValidSettings(@ForAll("validSettings") ElectionSettings settings,
			@ForAll("anyLong") long nanos, @ForAll("anyDate") long millis, @ForAll("anyDate") long laterMillis) {
		Moment now = new Moment(nanos, millis);
		Timing timing = settings.timing();
		SessionProtocol protocol = new SessionProtocol("me", timing, () -> 1);
		assertThat(timing.retryDelay()).isPositive().isLessThan(timing.renewInterval());
		assertThat(timing.idleInterval()).isBetween(timing.renewInterval(), timing.renewInterval().multipliedBy(2));
		SessionState begun = protocol.begin(now);
		assertThat(begun.phase()).isEqualTo(SessionState.Phase.NEW);
		assertThat(now.isDue(begun.nextCall())).isTrue();
		SessionState sent = protocol.sending(begun, now);
		long validNanos = timing.validity().toNanos();
		for (Duration interval : List.of(timing.renewInterval(), timing.idleInterval())) {
			SessionState state = protocol.inserted(sent, true, interval, now);
			assertThat(state.phase()).isEqualTo(SessionState.Phase.ALIVE);
			assertThat(state.validUntil().hasComeAt(now)).isFalse();
			assertThat(state.validUntil().nanos() - nanos).isEqualTo(validNanos)
				.isPositive()
				.isLessThan(settings.ttl().toNanos());
			// A renewal sent in time and answered just before its timeout is in time.
			long answered = state.nextCall() - nanos + settings.operationTimeout().toNanos();
			assertThat(answered).isPositive().isLessThan(validNanos);
			assertThat(now.isDue(state.nextCall())).isFalse();
		}
		Observation seen = protocol.observe(null, Session.first("other", 1, settings.ttl()), now,
				settings.pollInterval());
		assertThat(protocol.life(seen, new Moment(nanos + validNanos, laterMillis)))
			.isEqualTo(SessionProtocol.Life.ALIVE);
		assertThat(protocol.life(seen, new Moment(nanos + settings.ttl().toNanos(), laterMillis)))
			.isEqualTo(SessionProtocol.Life.SILENT);
	}

	private static void assertFit(ElectionSettings settings) {
		Duration needed = settings.renewInterval().plus(settings.operationTimeout()).plus(settings.safetyMargin());
		assertThat(needed).isLessThan(settings.ttl());
		assertThat(settings.safetyMargin().toNanos()).isGreaterThanOrEqualTo(settings.ttl().toNanos() / 50);
		for (Duration each : durations(settings)) {
			assertThat(each).isBetween(Duration.ZERO, Duration.ofDays(1));
		}
		assertThat(settings.pollInterval()).isPositive();
		assertThat(settings.renewInterval()).isPositive();
	}

	private static List<Duration> durations(ElectionSettings settings) {
		return List.of(settings.ttl(), settings.renewInterval(), settings.safetyMargin(), settings.operationTimeout(),
				settings.pollInterval(), settings.drainTimeout(), settings.cooldown());
	}

	private static ElectionSettings settings(List<Duration> durations) {
		return new ElectionSettings(durations.get(0), durations.get(1), durations.get(2), durations.get(3),
				durations.get(4), durations.get(5), durations.get(6));
	}

	@Provide
	Arbitrary<Duration> anyDuration() {
		Arbitrary<Duration> sane = Arbitraries.longs().between(0, 100_000_000).map(Duration::ofMillis);
		Arbitrary<Duration> nanos = Arbitraries.longs().map(Duration::ofNanos);
		Arbitrary<Duration> seconds = Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 999))
			.as((whole, millis) -> Duration.ofSeconds(whole, millis * 1_000_000L));
		Arbitrary<Duration> edges = Arbitraries.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofNanos(-1),
				Duration.ofMillis(1), Duration.ofMillis(99), Duration.ofMillis(100), Duration.ofDays(1),
				Duration.ofDays(1).plusMillis(1), Duration.ofNanos(Long.MAX_VALUE), Duration.ofMillis(Long.MAX_VALUE),
				Duration.ofMillis(Long.MIN_VALUE), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
				Duration.ofSeconds(Long.MIN_VALUE));
		return Arbitraries.oneOf(sane, nanos, seconds, edges);
	}

	/** Return any reading of a monotonic clock: it begins anywhere, and may overflow. */
	@Provide
	Arbitrary<Long> anyLong() {
		return Arbitraries.oneOf(Arbitraries.longs(),
				Arbitraries.longs().between(Long.MAX_VALUE - 100_000_000_000L, Long.MAX_VALUE),
				Arbitraries.of(0L, Long.MIN_VALUE));
	}

	@Provide
	Arbitrary<Long> anyDate() {
		return Arbitraries.oneOf(Arbitraries.longs().between(-FAR, FAR), Arbitraries.longs().between(0, 200_000_000),
				Arbitraries.of(0L, -FAR, FAR));
	}

	/** Return mostly settings with at most one odd value: others fail the first check. */
	@Provide
	Arbitrary<List<Duration>> anySettings() {
		Arbitrary<List<Duration>> nearlyFine = Combinators
			.combine(validSettings(), anyDuration(), Arbitraries.integers().between(0, 7))
			.as((settings, odd, place) -> {
				List<Duration> durations = new ArrayList<>(durations(settings));
				if (place < durations.size()) {
					durations.set(place, odd);
				}
				return durations;
			});
		return Arbitraries.frequencyOf(Tuple.of(3, nearlyFine), Tuple.of(1, anyDuration().list().ofSize(7)));
	}

	@Provide
	Arbitrary<ElectionSettings> validSettings() {
		Arbitrary<Long> ttls = Arbitraries.longs().between(100, Duration.ofDays(1).toMillis());
		Arbitrary<Integer> percents = Arbitraries.integers().between(2, 32);
		Arbitrary<Long> others = Arbitraries.longs().between(0, Duration.ofDays(1).toMillis());
		return Combinators.combine(ttls, percents, percents, percents, others, others)
			.as((ttl, margin, renew, call, drain, cooldown) -> new ElectionSettings(Duration.ofMillis(ttl),
					percent(ttl, renew), percent(ttl, margin), percent(ttl, call), percent(ttl, 10),
					Duration.ofMillis(drain), Duration.ofMillis(cooldown)));
	}

	private static Duration percent(long millis, int percent) {
		return Duration.ofMillis(millis).multipliedBy(percent).dividedBy(100);
	}

}
