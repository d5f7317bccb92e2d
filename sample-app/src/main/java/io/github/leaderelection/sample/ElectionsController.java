package io.github.leaderelection.sample;

import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.UnknownElectionException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Serves the page's data and its buttons. The buttons that hand over leadership work on
 * the page of any instance.
 */
@RestController
@RequestMapping("/api/elections")
class ElectionsController {

	private final LeaderElection elections;

	private final JobRuns jobRuns;

	private final LivePages pages;

	private final HandoverRequests requests;

	ElectionsController(LeaderElection elections, JobRuns jobRuns, LivePages pages, HandoverRequests requests) {
		this.elections = elections;
		this.jobRuns = jobRuns;
		this.pages = pages;
		this.requests = requests;
	}

	@GetMapping
	Overview overview() {
		return this.pages.overview();
	}

	@GetMapping(path = "/live", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter live() {
		return this.pages.open();
	}

	@PostMapping("/{name}/resign")
	ResponseEntity<String> resign(@PathVariable String name) {
		return handOver(name, null);
	}

	@PostMapping("/{name}/transfer")
	ResponseEntity<String> transfer(@PathVariable String name, @RequestParam String to) {
		return handOver(name, to);
	}

	@PostMapping("/{name}/pause")
	ResponseEntity<String> pause(@PathVariable String name) {
		return standAside(() -> this.elections.pause(name));
	}

	@PostMapping("/{name}/resume")
	ResponseEntity<String> resume(@PathVariable String name) {
		return standAside(() -> this.elections.resume(name));
	}

	/** Works on the leader only: other instances can't reach its scheduler. */
	@PostMapping("/{name}/run")
	ResponseEntity<String> run(@PathVariable String name, @RequestParam String job) {
		try {
			this.jobRuns.trigger(name, job);
			return ResponseEntity.accepted().build();
		}
		catch (UnknownElectionException | IllegalArgumentException ex) {
			return ResponseEntity.status(HttpStatus.NOT_FOUND).body("There is no such job");
		}
		catch (NotLeaderException ex) {
			return ResponseEntity.status(HttpStatus.CONFLICT).body("Another instance leads");
		}
		catch (IllegalStateException ex) {
			return ResponseEntity.status(HttpStatus.CONFLICT).body("A run still goes on");
		}
	}

	/** Changes this instance only: each one decides for itself whether it stands. */
	private static ResponseEntity<String> standAside(Runnable change) {
		try {
			change.run();
			return ResponseEntity.accepted().build();
		}
		catch (UnknownElectionException ex) {
			return ResponseEntity.status(HttpStatus.NOT_FOUND).body("There is no such election");
		}
	}

	private ResponseEntity<String> handOver(String election, @Nullable String successor) {
		try {
			if (this.elections.leader(election).isEmpty()) {
				return ResponseEntity.status(HttpStatus.CONFLICT).body("Nobody leads");
			}
			this.requests.submit(election, successor);
			return ResponseEntity.accepted().build();
		}
		catch (UnknownElectionException ex) {
			return ResponseEntity.status(HttpStatus.NOT_FOUND).body("There is no such election");
		}
		catch (DataAccessException ex) {
			return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
				.body("The leader can't be asked, since MongoDB does not answer");
		}
	}

}
