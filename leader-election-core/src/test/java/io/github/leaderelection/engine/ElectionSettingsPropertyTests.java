package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.LossReason;
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
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Whatever durations somebody asks for: either they are refused with an explanation, or
 * they fit together and nothing overflows when the protocol counts with them.
 */
class ElectionSettingsPropertyTests {

	private static final Set<String> NAMES = Set.of("ttl", "renew-interval", "safety-margin", "operation-timeout",
			"poll-interval", "drain-timeout", "cooldown");

	/** Long before and long after any date that a clock was ever set to. */
	private static final long FAR = 1_000_000_000_000_000_000L;

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void settingsAreValidTogetherOrRefusedWithARemedy(@ForAll("anySettings") List<Duration> durations) {
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

	@Property(tries = 500)
	void derivedSettingsAreValidOrTheTtlIsRefused(@ForAll("anyDuration") Duration ttl) {
		ElectionSettings settings;
		try {
			settings = ElectionSettings.of(ttl);
		}
		catch (InvalidSettingException ex) {
			assertThat(ex.getName()).isEqualTo("ttl");
			return;
		}
		assertFit(settings);
	}

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void protocolCountsWithValidSettingsAtAnyTime(@ForAll("validSettings") ElectionSettings settings,
			@ForAll("anyLong") long nanos, @ForAll("anyDate") long millis, @ForAll("anyDate") long laterMillis) {
		Moment now = new Moment(nanos, millis);
		SessionProtocol lives = new SessionProtocol("me", Rhythm.of(settings));
		ElectionProtocol protocol = new ElectionProtocol("me", settings, lives);
		ElectionState led = protocol.taken(protocol.begin("x", now),
				new Lease("x", "me", 1, 1, 1, settings.ttl(), null, null), true, now, now);
		assertThat(led.term()).isNotNull();
		assertThat(led.term().nextCall() - nanos).isPositive().isLessThan(settings.ttl().toNanos());
		// The wall clock may be set to anything meanwhile. It may end a term, and says
		// nothing of a drain.
		Moment jumped = new Moment(nanos + 1, laterMillis);
		ElectionState draining = protocol.resign(led, LossReason.RESIGNED, now);
		for (ElectionState state : List.of(protocol.begin("x", now), led, draining, protocol.callFailed(led, now),
				protocol.lapsed(led, 1, now), protocol.settled(draining, 1, false, now))) {
			assertThat(protocol.wakeAt(state, null, jumped) - jumped.nanos())
				.isLessThanOrEqualTo(settings.ttl().toNanos());
			assertThat(protocol.tickAt(state, jumped) - jumped.nanos())
				.isLessThanOrEqualTo(Rhythm.longer(settings.ttl(), settings.drainTimeout()).toNanos());
			assertThatCode(() -> protocol.intent(state, null, jumped)).doesNotThrowAnyException();
		}
		boolean ended = protocol.tick(draining, jumped).isIn(TermState.Phase.STOPPING);
		boolean unsure = led.term().sureUntil().hasComeAt(jumped);
		assertThat(ended).isEqualTo(unsure || settings.drainTimeout().isZero());
		assertThat(protocol.tickAt(draining, jumped) - jumped.nanos() <= 0).isEqualTo(ended);
	}

	@Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
	void sessionCountsWithValidSettingsAtAnyTime(@ForAll("validSettings") ElectionSettings settings,
			@ForAll("anyLong") long nanos, @ForAll("anyDate") long millis, @ForAll("anyDate") long laterMillis) {
		Moment now = new Moment(nanos, millis);
		Rhythm rhythm = Rhythm.of(settings);
		SessionProtocol protocol = new SessionProtocol("me", rhythm);
		long beliefNanos = protocol.deadline(now).nanos() - nanos;
		assertThat(beliefNanos).isPositive().isLessThan(settings.ttl().toNanos());
		assertThat(protocol.deadline(now).hasComeAt(now)).isFalse();
		assertThat(rhythm.retryDelay()).isPositive().isLessThan(rhythm.interval());
		assertThat(rhythm.idleInterval()).isBetween(rhythm.interval(), rhythm.interval().multipliedBy(2));
		SessionState begun = protocol.begin(1, nanos);
		assertThat(protocol.intent(begun, now)).isInstanceOf(SessionIntent.Create.class);
		SessionState sent = protocol.sending(begun, now);
		for (Duration interval : List.of(rhythm.interval(), rhythm.idleInterval())) {
			SessionState state = protocol.stored(sent, interval, now);
			// A renewal that goes out in time, and takes all its time, is in time.
			long answered = state.nextCall() - nanos + settings.operationTimeout().toNanos();
			assertThat(answered).isPositive().isLessThan(beliefNanos);
			assertThat(protocol.intent(state, now)).isNull();
			assertThat(protocol.intent(state, new Moment(state.nextCall(), laterMillis)))
				.isInstanceOf(SessionIntent.Renew.class);
		}
		SessionSighting seen = protocol.sighted(null, Session.first("other", 1, settings.ttl()), now,
				settings.pollInterval());
		assertThat(protocol.life(seen, new Moment(nanos + beliefNanos, laterMillis)))
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

	/** A monotonic clock begins anywhere, and overflows. */
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

	/** Mostly all but one or two are fine, or nothing would ever get past the first. */
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
