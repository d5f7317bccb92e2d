package io.github.leaderelection.test.example;

import io.github.leaderelection.LeaderOnly;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The controller that the guide tests in a slice.
 */
@RestController
class InvoicesController {

	@PostMapping("/invoices/{number}/cancel")
	@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
	String cancel(@PathVariable String number) {
		return number;
	}

}
