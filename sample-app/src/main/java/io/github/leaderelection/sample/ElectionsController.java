package io.github.leaderelection.sample;

import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the page shows, and its button.
 */
@RestController
@RequestMapping("/api/elections")
class ElectionsController {

	private final LeaderElection elections;

	private final JobRuns runs;

	private final MarketFeed feed;

	ElectionsController(LeaderElection elections, JobRuns runs, MarketFeed feed) {
		this.elections = elections;
		this.runs = runs;
		this.feed = feed;
	}

	@GetMapping
	Overview overview() {
		List<JobRun> latest = latestRuns();
		List<JobRun> known = (latest != null) ? latest : List.of();
		List<Election> states = this.elections.elections().stream().sorted().map((name) -> state(name, known)).toList();
		return new Overview(this.elections.candidateId(), states, this.feed.price(), latest);
	}

	@PostMapping("/{name}/resign")
	ResponseEntity<Void> resign(@PathVariable String name) {
		if (!this.elections.elections().contains(name)) {
			return ResponseEntity.notFound().build();
		}
		boolean resigned = this.elections.resign(name);
		return ResponseEntity.status(resigned ? HttpStatus.ACCEPTED : HttpStatus.CONFLICT).build();
	}

	private Election state(String name, List<JobRun> latest) {
		Leadership leadership = this.elections.leadership(name).orElse(null);
		if (leadership != null) {
			return new Election(name, leadership.candidateId(), leadership.term(), true);
		}
		String leader = this.elections.leader(name).orElse(null);
		// The term of another instance is known from what it ran.
		Long term = latest.stream()
			.filter((run) -> run.election().equals(name) && run.candidate().equals(leader))
			.map(JobRun::term)
			.findFirst()
			.orElse(null);
		return new Election(name, leader, term, false);
	}

	private @Nullable List<JobRun> latestRuns() {
		try {
			return this.runs.latest();
		}
		catch (DataAccessException ex) {
			// Who leads is known without the database.
			return null;
		}
	}

	/**
	 * What this instance knows.
	 *
	 * @param instance the candidate id of this instance
	 * @param elections the elections, by name
	 * @param price the last price from the market feed, {@code null} on instances without
	 * a connection
	 * @param runs the latest runs of jobs, {@code null} when the database does not answer
	 */
	record Overview(String instance, List<Election> elections, @Nullable Integer price, @Nullable List<JobRun> runs) {

	}

	/**
	 * One election.
	 *
	 * @param name the election name
	 * @param leader the candidate id of the leader, {@code null} when none is known
	 * @param term the term, {@code null} when it is not known
	 * @param leadsHere whether this instance leads
	 */
	record Election(String name, @Nullable String leader, @Nullable Long term, boolean leadsHere) {

	}

}
