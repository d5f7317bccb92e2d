package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * The store of a time line, behind a network that behaves as the time line says. It tells
 * the true time.
 */
final class TimelineStore implements RecordStore {

	private final JobKey key;

	private Instant time;

	private RecordStore records = new InMemoryRecordStores(this::time).store(RecordedJobs.RUNS);

	/** The kind of requests that are lost, such as each start of a run or each end. */
	private String lost = "";

	/** The last request that was lost, in case it arrives after all. */
	private Supplier<?> onItsWay;

	private boolean answersAreLost;

	private boolean answersOfReadsAreLost;

	private String damage;

	private Duration answersTake = Duration.ZERO;

	private Duration timeTakes = Duration.ZERO;

	private Runnable duringStart;

	private Runnable meanwhile;

	TimelineStore(JobKey key, Instant time) {
		this.key = key;
		this.time = time;
	}

	Instant time() {
		return this.time;
	}

	void setTime(Instant time) {
		this.time = time;
	}

	void pass(Duration duration) {
		this.time = this.time.plus(duration);
	}

	/** Lose requests of a kind: each start of a run, each end, or each change. */
	void lose(String request) {
		this.lost = request;
	}

	void loseAnswers(boolean ofReads) {
		this.answersAreLost = true;
		this.answersOfReadsAreLost = ofReads;
	}

	void loseRecords() {
		this.records = new InMemoryRecordStores(this::time).store(RecordedJobs.RUNS);
	}

	/** Answer as if the record had been edited. */
	void damage(String damage) {
		this.damage = damage;
	}

	void work() {
		this.lost = "";
		this.answersAreLost = false;
		this.damage = null;
	}

	/** Let the last lost request arrive, and return whether it has an effect. */
	boolean arrive() {
		return !((Set<?>) this.onItsWay.get()).isEmpty();
	}

	void answerAfter(Duration duration) {
		this.answersTake = duration;
	}

	void tellTimeAfter(Duration duration) {
		this.timeTakes = duration;
	}

	/** Run something between the next start and its answer. */
	void duringStart(Runnable happening) {
		this.duringStart = happening;
	}

	/** Run something between the next read and its answer. */
	void meanwhile(Runnable happening) {
		this.meanwhile = happening;
	}

	/** Return the record as it is stored, {@code null} if there is none. */
	RunRecord record() {
		StoredRecord stored = this.records.read(List.of(this.key.id()), Duration.ZERO).records().get(this.key.id());
		return (stored != null) ? StoredRuns.decoded(this.key, stored, this.time) : null;
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		RecordReading reading = answer("read", () -> this.records.read(ids, timeout));
		Runnable happening = this.meanwhile;
		this.meanwhile = null;
		if (happening != null) {
			happening.run();
		}
		if (this.damage == null) {
			return reading;
		}
		Map<String, StoredRecord> others = new HashMap<>(reading.records());
		others.remove(this.key.id());
		return new RecordReading(others, Map.of(this.key.id(), this.damage));
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		return answer("insert", () -> this.records.insert(records, timeout));
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		String kind = kind(changed.iterator().next());
		Set<String> replaced = answer(kind,
				() -> (this.damage != null) ? Set.of() : this.records.replace(changed, timeout));
		Runnable happening = this.duringStart;
		if (kind.equals("start") && happening != null) {
			this.duringStart = null;
			happening.run();
		}
		return replaced;
	}

	private String kind(StoredRecord changed) {
		RunRecord record = record();
		JobRun before = (record != null) ? record.last() : null;
		JobRun last = changed.id().equals(this.key.id()) ? StoredRuns.decoded(this.key, changed, this.time).last()
				: before;
		if (Objects.equals(last, before)) {
			return "open or cover";
		}
		return (last != null && last.outcome() == Outcome.RUNNING) ? "start" : "end";
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		return answer("remove", () -> this.records.remove(seen, timeout));
	}

	@Override
	public Instant now(Duration timeout) {
		Instant answer = this.records.now(timeout);
		pass(this.timeTakes);
		return answer;
	}

	private <T> T answer(String request, Supplier<T> answer) {
		boolean change = !request.equals("read");
		if (request.equals(this.lost) || (change && "change".equals(this.lost))) {
			this.onItsWay = answer;
			throw new LeaseStoreException("the request was lost", null);
		}
		T answered = answer.get();
		pass(this.answersTake);
		if (this.answersAreLost && (this.answersOfReadsAreLost || change)) {
			throw new LeaseStoreException("the answer was lost", null);
		}
		return answered;
	}

}
