package io.github.leaderelection.sample;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/**
 * Keeps a connection open on the leader only, as for a feed that allows one client.
 */
@Component
class MarketFeed implements Candidate {

	private static final Logger logger = LoggerFactory.getLogger(MarketFeed.class);

	private volatile @Nullable Integer price;

	/**
	 * Return the last price that was received.
	 * @return the price, {@code null} while this instance has no connection
	 */
	@Nullable Integer price() {
		return this.price;
	}

	@Override
	public String election() {
		return "market-feed";
	}

	/**
	 * Stay for as long as this instance leads. Then the thread is interrupted and the
	 * connection closed, before another candidate is told to open its own.
	 */
	@Override
	public void onElected(Leadership leadership) throws InterruptedException {
		logger.info("Connected to the market feed in term {}", leadership.term());
		try (FeedConnection connection = new FeedConnection()) {
			while (leadership.isHeld()) {
				this.price = connection.awaitPrice();
			}
		}
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.price = null;
		logger.info("Disconnected from the market feed in term {}: {}", leadership.term(),
				leadership.lossReason().orElse(null));
	}

}
