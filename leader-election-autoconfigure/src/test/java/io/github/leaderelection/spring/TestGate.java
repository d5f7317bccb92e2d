package io.github.leaderelection.spring;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.TestTerm;
import org.jspecify.annotations.Nullable;

/**
 * A gate whose leaderships the test decides. Terms and calls are real ones.
 */
public class TestGate implements LeaderOnlyGate {

	private final Set<String> stood = new ConcurrentSkipListSet<>();

	private final Map<String, TestTerm> terms = new ConcurrentHashMap<>();

	private final List<String> asked = new CopyOnWriteArrayList<>();

	private final List<String> refused = new CopyOnWriteArrayList<>();

	@Override
	public void stand(String election) {
		this.stood.add(election);
	}

	@Override
	public @Nullable GatedCall enter(String election, boolean interruptible) {
		if (!this.stood.contains(election)) {
			throw new UnknownElectionException(election, Set.of());
		}
		this.asked.add(election);
		TestTerm term = this.terms.get(election);
		return (term != null) ? term.enter(interruptible) : null;
	}

	@Override
	public void refuse(String election, boolean rejected) {
		this.refused.add(election + (rejected ? " rejected" : " skipped"));
	}

	/** Return the calls that were not let in, and how. */
	List<String> refused() {
		return this.refused;
	}

	TestGate leading(String election) {
		lead(election, 1);
		return this;
	}

	/** Believe in a term, whatever others do. */
	public Leadership lead(String election, long term) {
		TestTerm led = new TestTerm(election, term);
		this.terms.put(election, led);
		return led.leadership();
	}

	public void lose(String election) {
		term(election).lose();
		this.terms.remove(election);
	}

	TestTerm term(String election) {
		return this.terms.get(election);
	}

	int inFlight(String election) {
		return term(election).inFlight();
	}

	Set<String> stood() {
		return this.stood;
	}

	/** Return the elections of all calls that came to the gate, in order. */
	List<String> asked() {
		return this.asked;
	}

}
