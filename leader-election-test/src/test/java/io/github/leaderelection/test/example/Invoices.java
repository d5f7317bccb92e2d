package io.github.leaderelection.test.example;

import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class Invoices {

	private final LeaderElection elections;

	private final Mailer mailer;

	Invoices(LeaderElection elections, Mailer mailer) {
		this.elections = elections;
		this.mailer = mailer;
	}

	@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
	@LeaderOnly("invoices")
	void send() {
		for (String invoice : List.of("A-1", "A-2")) {
			this.elections.currentLeadership().requireHeld();
			this.mailer.send(invoice);
		}
	}

}
