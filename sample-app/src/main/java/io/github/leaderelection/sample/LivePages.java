package io.github.leaderelection.sample;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.job.RecordedJobs;
import org.jspecify.annotations.Nullable;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the current state to all open pages twice a second. This does not wait for the
 * database, which is not needed to know the leaders.
 */
@Component
class LivePages {

	private final ElectionEngine engine;

	private final RecordedJobs jobs;

	private final MarketFeed feed;

	private final StoredRecords records;

	private final Set<SseEmitter> pages = ConcurrentHashMap.newKeySet();

	private volatile @Nullable History history;

	LivePages(ElectionEngine engine, RecordedJobs jobs, MarketFeed feed, StoredRecords records) {
		this.engine = engine;
		this.jobs = jobs;
		this.feed = feed;
		this.records = records;
	}

	Overview overview() {
		EngineStatus status = this.engine.status();
		List<Overview.Election> elections = status.elections()
			.stream()
			.map((each) -> Overview.Election.of(each, this.engine.isLeader(each.election()), job(each.election())))
			.toList();
		return new Overview(this.engine.candidateId(), Instant.now(), Overview.Mongo.of(status), elections,
				this.feed.price(), this.history);
	}

	private Overview.@Nullable Job job(String election) {
		return this.jobs.status()
			.stream()
			.filter((status) -> status.job().key().election().equals(election))
			.findFirst()
			.map(Overview.Job::of)
			.orElse(null);
	}

	SseEmitter open() {
		SseEmitter page = new SseEmitter(0L);
		page.onCompletion(() -> this.pages.remove(page));
		this.pages.add(page);
		return page;
	}

	@Scheduled(fixedRate = 500)
	void tell() {
		if (this.pages.isEmpty()) {
			return;
		}
		Overview overview = overview();
		this.pages.removeIf((page) -> !isTold(page, overview));
	}

	private static boolean isTold(SseEmitter page, Overview overview) {
		try {
			page.send(SseEmitter.event().reconnectTime(1000).data(overview));
			return true;
		}
		catch (IOException | IllegalStateException ex) {
			// The page was closed.
			return false;
		}
	}

	@Scheduled(fixedDelay = 500)
	void readHistory() {
		try {
			this.history = this.pages.isEmpty() ? null : History.read(this.records);
		}
		catch (DataAccessException ex) {
			this.history = null;
		}
	}

	/** Otherwise a graceful shutdown would wait for open pages. */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.pages.forEach(SseEmitter::complete);
	}

}
