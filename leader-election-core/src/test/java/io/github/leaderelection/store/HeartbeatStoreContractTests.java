package io.github.leaderelection.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link HeartbeatStore}. Each test begins with an empty store.
 */
public abstract class HeartbeatStoreContractTests {

	protected static final Duration TTL = Duration.ofSeconds(20);

	/** Never reached where a server answers, on however slow a machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final String ID = "shop@web-1:4711-k3v9/20000";

	private static final int RACERS = 8;

	/** Return the store, empty. */
	protected abstract HeartbeatStore store();

	/** Remove a heartbeat behind the store's back. */
	protected abstract void vanish(String id);

	@Test
	void heartbeatThatWasNeverEnteredIsMissing() {
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
		assertThat(store().heartbeats(List.of(), TIMEOUT).heartbeats()).isEmpty();
	}

	@Test
	void enteredHeartbeatIsThere() {
		assertThat(store().enter(heartbeat(3, 1), TIMEOUT)).isTrue();
		assertStored(3, 1);
		assertThat(read().isOf("shop@web-1:4711-k3v9")).isTrue();
	}

	@Test
	void enterLeavesAHeartbeatThatIsThereAlone() {
		store().enter(heartbeat(3, 7), TIMEOUT);
		assertThat(store().enter(heartbeat(4, 8), TIMEOUT)).isFalse();
		assertThat(store().enter(heartbeat(3, 7), TIMEOUT)).isFalse();
		assertStored(3, 7);
	}

	@Test
	void onlyOneOfManyRacersEntersAHeartbeat() throws Exception {
		List<Boolean> entered = race((racer) -> () -> store().enter(heartbeat(racer, 1), TIMEOUT));
		assertThat(entered.stream().filter((each) -> each)).hasSize(1);
		assertStored(entered.indexOf(true), 1);
	}

	@Test
	void beatIsStoredAndDated() {
		store().enter(heartbeat(3, 1), TIMEOUT);
		assertThat(store().beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 2);
		HeartbeatReading reading = store().heartbeats(Set.of(ID), TIMEOUT);
		assertThat(reading.heartbeats().get(ID).beatAt()).isNotNull();
		assertThat(reading.readAt()).isBetween(reading.heartbeats().get(ID).beatAt(),
				reading.heartbeats().get(ID).beatAt().plus(TIMEOUT));
		assertThat(store().beat(heartbeat(3, 900), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 900);
	}

	@Test
	void beatNeverEnters() {
		assertThat(store().beat(heartbeat(1, 1), TIMEOUT).acknowledged()).isFalse();
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
		store().enter(heartbeat(1, 1), TIMEOUT);
		vanish(ID);
		assertThat(store().beat(heartbeat(1, 2), TIMEOUT).acknowledged()).isFalse();
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
	}

	@Test
	void beatOfAFormerEpochIsRefused() {
		Heartbeat seen = heartbeat(3, 1);
		store().enter(seen, TIMEOUT);
		assertThat(store().end(seen, 4, TIMEOUT)).isTrue();
		assertThat(store().beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isFalse();
		assertStored(4, 1);
		assertThat(store().beat(heartbeat(4, 2), TIMEOUT).acknowledged()).isTrue();
		assertStored(4, 2);
	}

	@Test
	void beatOfAnEpochToComeIsRefused() {
		store().enter(heartbeat(3, 1), TIMEOUT);
		assertThat(store().beat(heartbeat(4, 2), TIMEOUT).acknowledged()).isFalse();
		assertStored(3, 1);
	}

	@Test
	void beatThatArrivesAfterALaterOneIsRefused() {
		store().enter(heartbeat(3, 1), TIMEOUT);
		store().beat(heartbeat(3, 9), TIMEOUT);
		assertThat(store().beat(heartbeat(3, 8), TIMEOUT).acknowledged()).isFalse();
		assertStored(3, 9);
		assertThat(store().beat(heartbeat(3, 9), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 9);
	}

	@Test
	void endedHeartbeatHasAnotherEpochAndTheSameBeat() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		assertThat(store().end(read(), 40, TIMEOUT)).isTrue();
		assertStored(40, 5);
	}

	@Test
	void isSaidToBeEndedUntilItsProcessBeats() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		assertThat(read().ended()).isFalse();
		store().end(read(), 4, TIMEOUT);
		assertThat(read().ended()).isTrue();
		store().end(read(), 5, TIMEOUT);
		assertThat(read().ended()).isTrue();
		store().beat(heartbeat(5, 6), TIMEOUT);
		assertThat(read().ended()).isFalse();
	}

	@Test
	void endIsRefusedWhenABeatCameInBetween() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		Heartbeat seen = read();
		store().beat(heartbeat(3, 6), TIMEOUT);
		assertThat(store().end(seen, 4, TIMEOUT)).isFalse();
		assertStored(3, 6);
		assertThat(store().beat(heartbeat(3, 7), TIMEOUT).acknowledged()).isTrue();
	}

	@Test
	void endOfAnotherEpochIsRefused() {
		Heartbeat seen = heartbeat(3, 5);
		store().enter(seen, TIMEOUT);
		assertThat(store().end(seen, 4, TIMEOUT)).isTrue();
		assertThat(store().end(seen, 5, TIMEOUT)).isFalse();
		assertThat(store().end(heartbeat(5, 5), 6, TIMEOUT)).isFalse();
		assertStored(4, 5);
	}

	@Test
	void endOfAMissingHeartbeatIsRefused() {
		assertThat(store().end(heartbeat(3, 5), 4, TIMEOUT)).isFalse();
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
	}

	@Test
	void epochsNeverGoBack() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		assertThat(store().end(heartbeat(3, 5), 3, TIMEOUT)).isFalse();
		assertThat(store().end(heartbeat(3, 5), 2, TIMEOUT)).isFalse();
		assertStored(3, 5);
	}

	@Test
	void onlyOneOfManyRacersEndsAnEpoch() throws Exception {
		Heartbeat seen = heartbeat(3, 5);
		store().enter(seen, TIMEOUT);
		List<Boolean> ended = race((racer) -> () -> store().end(seen, 4 + racer, TIMEOUT));
		assertThat(ended.stream().filter((each) -> each)).hasSize(1);
		assertStored(4 + ended.indexOf(true), 5);
	}

	@Test
	void eitherTheBeatWinsOrTheEnd() throws Exception {
		long epoch = 1;
		store().enter(heartbeat(epoch, 0), TIMEOUT);
		for (int round = 1; round <= 20; round++) {
			Heartbeat seen = read();
			Heartbeat next = heartbeat(epoch, seen.beat() + 1);
			List<Boolean> outcomes = race((racer) -> () -> (racer == 0) ? store().beat(next, TIMEOUT).acknowledged()
					: store().end(seen, seen.epoch() + 1, TIMEOUT));
			boolean beaten = outcomes.get(0);
			assertThat(outcomes.stream().filter((each) -> each)).hasSize(1);
			assertStored(beaten ? epoch : epoch + 1, beaten ? next.beat() : seen.beat());
			epoch = read().epoch();
		}
	}

	@Test
	void whoLeavesIsMissing() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		store().leave(heartbeat(3, 1), TIMEOUT);
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
		store().leave(heartbeat(3, 1), TIMEOUT);
	}

	@Test
	void whoseEpochWasEndedDoesNotLeave() {
		Heartbeat seen = heartbeat(3, 5);
		store().enter(seen, TIMEOUT);
		store().end(seen, 4, TIMEOUT);
		store().leave(seen, TIMEOUT);
		assertStored(4, 5);
		store().leave(heartbeat(4, 5), TIMEOUT);
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
	}

	@Test
	void eachHeartbeatIsOnItsOwn() {
		Duration other = Duration.ofMillis(1500);
		Heartbeat shorter = new Heartbeat("shop@web-1:4711-k3v9/1500", 9, 2, other, null);
		store().enter(heartbeat(3, 5), TIMEOUT);
		store().enter(shorter, TIMEOUT);
		assertThat(store().beat(new Heartbeat(shorter.id(), 9, 3, other, null), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 5);
		Heartbeat read = store().heartbeats(List.of(shorter.id()), TIMEOUT).heartbeats().get(shorter.id());
		assertThat(read.epoch()).isEqualTo(9);
		assertThat(read.beat()).isEqualTo(3);
		assertThat(read.ttl()).isEqualTo(other);
	}

	@Test
	void othersAreReadBesideThoseThatAreNamed() {
		store().enter(heartbeat(3, 5), TIMEOUT);
		store().enter(new Heartbeat("other/20000", 1, 1, TTL, null), TIMEOUT);
		assertThat(store().heartbeats(List.of(), TIMEOUT).heartbeats()).containsOnlyKeys(ID, "other/20000");
		assertThat(store().heartbeats(List.of(ID, ID, "none/1"), TIMEOUT).heartbeats()).containsOnlyKeys(ID,
				"other/20000");
	}

	@Test
	void greatestEpochAndBeatAreKeptAsTheyAre() {
		Heartbeat great = heartbeat(Heartbeat.MAX_EPOCH - 1, Heartbeat.MAX_EPOCH);
		store().enter(great, TIMEOUT);
		assertThat(store().end(great, Heartbeat.MAX_EPOCH, TIMEOUT)).isTrue();
		assertStored(Heartbeat.MAX_EPOCH, Heartbeat.MAX_EPOCH);
	}

	@Test
	void beatsShowWhatTheProcessIsAskedFor() {
		PauseRequest pause = PauseRequest.of("jobs", true, "shop@web-2:815-x81b");
		PauseRequest resume = PauseRequest.of("jobs", false, "shop@web-3:99-0c1d");
		store().enter(heartbeat(3, 1), TIMEOUT);
		assertThat(store().beat(heartbeat(3, 2), TIMEOUT).requests()).isEmpty();
		assertThat(store().ask(ID, pause, TIMEOUT)).isTrue();
		assertStored(3, 2);
		assertThat(store().beat(heartbeat(3, 3), TIMEOUT)).isEqualTo(new BeatReply(true, List.of(pause)));
		assertThat(store().ask(ID, resume, TIMEOUT)).isTrue();
		assertThat(store().beat(heartbeat(3, 4), TIMEOUT)).isEqualTo(new BeatReply(true, List.of(pause, resume)));
		assertThat(store().beat(heartbeat(3, 3), TIMEOUT)).isEqualTo(BeatReply.REFUSED);
		assertThat(store().beat(heartbeat(4, 5), TIMEOUT)).isEqualTo(BeatReply.REFUSED);
	}

	@Test
	void whatIsAskedForOutlivesTheEpochAndNotTheHeartbeat() {
		PauseRequest request = PauseRequest.of("jobs", true, "other");
		store().enter(heartbeat(3, 1), TIMEOUT);
		store().ask(ID, request, TIMEOUT);
		assertThat(store().end(heartbeat(3, 1), 4, TIMEOUT)).isTrue();
		assertThat(store().beat(heartbeat(4, 2), TIMEOUT).requests()).containsExactly(request);
		store().leave(heartbeat(4, 2), TIMEOUT);
		store().enter(heartbeat(5, 3), TIMEOUT);
		assertThat(store().beat(heartbeat(5, 4), TIMEOUT).requests()).isEmpty();
	}

	@Test
	void nobodyIsAskedWithoutAHeartbeat() {
		Heartbeat other = new Heartbeat("other/20000", 1, 1, TTL, null);
		store().enter(other, TIMEOUT);
		assertThat(store().ask(ID, PauseRequest.of("jobs", true, "other"), TIMEOUT)).isFalse();
		assertThat(store().heartbeats(List.of(ID), TIMEOUT).heartbeats()).containsOnlyKeys(other.id());
		assertThat(store().beat(other, TIMEOUT).requests()).isEmpty();
	}

	@Test
	void whoIsAskedTooOftenLivesOnAndSeesTheLast() {
		store().enter(heartbeat(3, 1), TIMEOUT);
		List<PauseRequest> requests = IntStream.range(0, 100)
			.mapToObj((index) -> PauseRequest.of("election-" + index, true, "shop@web-2:815-9f3ea0c41b68"))
			.toList();
		for (PauseRequest each : requests) {
			assertThat(store().ask(ID, each, TIMEOUT)).isTrue();
		}
		BeatReply reply = store().beat(heartbeat(3, 2), TIMEOUT);
		assertThat(reply.acknowledged()).isTrue();
		int shown = reply.requests().size();
		assertThat(shown).isBetween(8, 20);
		assertThat(reply.requests()).isEqualTo(requests.subList(100 - shown, 100));
		assertStored(3, 2);
		assertThat(store().end(heartbeat(3, 2), 4, TIMEOUT)).isTrue();
	}

	@Test
	void allWhoAskAtOnceAreHeard() throws Exception {
		store().enter(heartbeat(3, 1), TIMEOUT);
		List<Boolean> left = race((racer) -> () -> store().ask(ID, PauseRequest.of("e" + racer, true, "by"), TIMEOUT));
		assertThat(left).containsOnly(true);
		assertThat(store().beat(heartbeat(3, 2), TIMEOUT).requests()).hasSize(RACERS);
	}

	protected static Heartbeat heartbeat(long epoch, long beat) {
		return new Heartbeat(ID, epoch, beat, TTL, null);
	}

	protected final Heartbeat read() {
		Heartbeat heartbeat = store().heartbeats(List.of(ID), TIMEOUT).heartbeats().get(ID);
		assertThat(heartbeat).as("stored heartbeat").isNotNull();
		return heartbeat;
	}

	protected final void assertStored(long epoch, long beat) {
		Heartbeat stored = read();
		assertThat(stored).isEqualTo(new Heartbeat(ID, epoch, beat, TTL, stored.beatAt(), stored.ended()));
	}

	private static <T> List<T> race(IntFunction<Callable<T>> racers) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(RACERS);
		try {
			CyclicBarrier start = new CyclicBarrier(RACERS);
			List<Future<T>> running = IntStream.range(0, RACERS).mapToObj((index) -> executor.submit(() -> {
				start.await();
				return racers.apply(index).call();
			})).toList();
			List<T> results = new ArrayList<>();
			for (Future<T> each : running) {
				results.add(each.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

}
