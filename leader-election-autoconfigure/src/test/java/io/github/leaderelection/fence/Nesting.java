package io.github.leaderelection.fence;

import java.util.function.BiConsumer;

import org.springframework.context.ApplicationContext;

/**
 * How gates and transactions are nested.
 */
enum Nesting {

	GATE_AROUND_TRANSACTION(Integer.MIN_VALUE,
			(context, inTheMiddle) -> context.getBean(Ledger.class).book(inTheMiddle)),

	TRANSACTION_AROUND_GATE(Integer.MAX_VALUE,
			(context, inTheMiddle) -> context.getBean(Ledger.class).book(inTheMiddle)),

	GATED_CALLER(Integer.MIN_VALUE,
			(context, inTheMiddle) -> context.getBean(Ledger.class)
				.call(() -> context.getBean(Books.class).book(inTheMiddle))),

	TRANSACTIONAL_CALLER(Integer.MIN_VALUE,
			(context, inTheMiddle) -> context.getBean(Books.class)
				.call(() -> context.getBean(Ledger.class).book(inTheMiddle))),

	NEW_TRANSACTION_IN_GATED_CALL_IN_TRANSACTION(Integer.MIN_VALUE,
			(context, inTheMiddle) -> context.getBean(Books.class)
				.call(() -> context.getBean(Ledger.class)
					.call(() -> context.getBean(Books.class).bookSeparately(inTheMiddle))));

	private final int gateOrder;

	private final BiConsumer<ApplicationContext, Runnable> call;

	Nesting(int gateOrder, BiConsumer<ApplicationContext, Runnable> call) {
		this.gateOrder = gateOrder;
		this.call = call;
	}

	/** Return the order of the gate; that of the transaction is 0. */
	int gateOrder() {
		return this.gateOrder;
	}

	void call(ApplicationContext context, Runnable inTheMiddle) {
		this.call.accept(context, inTheMiddle);
	}

}
