package io.github.leaderelection.fence.example;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.mongodb.ReactiveTermFence;
import io.github.leaderelection.mongodb.TermFence;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.mongodb.core.ReactiveMongoTemplate;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

/** As on the page about fencing. */
@Component
class ReactiveLedger {

	private final ReactiveMongoTemplate mongo;

	private final TransactionalOperator transactions;

	private final ReactiveTermFence fence;

	ReactiveLedger(ReactiveMongoTemplate mongo, TransactionalOperator transactions,
			com.mongodb.reactivestreams.client.MongoClient client,
			@Value("${spring.mongodb.database}") String database) {
		this.mongo = mongo;
		this.transactions = transactions;
		this.fence = new ReactiveTermFence(client.getDatabase(database));
	}

	@LeaderOnly(value = "invoices", interrupt = false)
	public Mono<Void> book(String account, int amount) {
		Mono<?> booking = this.mongo.updateFirst(query(where("_id").is(account)), new Update().inc("balance", amount),
				"accounts");
		return Mono.deferContextual((context) -> fenced(context.get(Leadership.class), booking));
	}

	private Mono<Void> fenced(Leadership leadership, Mono<?> work) {
		return this.fence.raise(leadership)
			.then(Mono.using(() -> this.fence.open(leadership),
					(passage) -> work.then(this.mongo.execute(TermFence.COLLECTION, passage::pass).then())
						.as(this.transactions::transactional),
					ReactiveTermFence.Passage::close));
	}

}
