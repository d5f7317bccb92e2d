package io.github.leaderelection.test.example;

/**
 * Sends mails.
 */
interface Mailer {

	void send(String invoice);

}
