package io.github.leaderelection.fence;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.TestTerm;
import org.jspecify.annotations.Nullable;
import io.github.leaderelection.spring.LeaderOnlyGate;

/**
 * A gate whose terms the test decides, and which believes in them whatever others do.
 */
public final class TermGate implements LeaderOnlyGate {

	private final Map<String, TestTerm> terms = new ConcurrentHashMap<>();

	@Override
	public void stand(String election) {
	}

	@Override
	public @Nullable GatedCall enter(String election, boolean interruptible) {
		TestTerm term = this.terms.get(election);
		return (term != null) ? term.enter(interruptible) : null;
	}

	public Leadership lead(String election, long term) {
		TestTerm led = new TestTerm(election, term);
		this.terms.put(election, led);
		return led.leadership();
	}

	public void lose(String election) {
		this.terms.get(election).lose();
	}

	public void awaitTold(String election) {
		this.terms.get(election).awaitTold();
	}

}
