package io.github.leaderelection.sample;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Simulates a connection to another system, with a receiving thread and a queue.
 */
class FeedConnection implements AutoCloseable {

	private final BlockingQueue<Integer> prices = new LinkedBlockingQueue<>();

	private final Thread receiver = new Thread(this::receive, "market-feed");

	FeedConnection() {
		this.receiver.setDaemon(true);
		this.receiver.start();
	}

	int awaitPrice() throws InterruptedException {
		return this.prices.take();
	}

	private void receive() {
		try {
			while (true) {
				this.prices.add(ThreadLocalRandom.current().nextInt(90, 110));
				Thread.sleep(500);
			}
		}
		catch (InterruptedException ex) {
			// Closed
		}
	}

	@Override
	public void close() {
		this.receiver.interrupt();
	}

}
