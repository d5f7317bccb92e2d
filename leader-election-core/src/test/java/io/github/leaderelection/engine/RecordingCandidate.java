package io.github.leaderelection.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;

/**
 * Records its callbacks in {@link #events()}, and whether they overlap or begin
 * interrupted.
 */
public class RecordingCandidate implements Candidate {

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final CountDownLatch entered = new CountDownLatch(1);

	private final String election;

	private volatile Thread thread;

	private int inside;

	public RecordingCandidate(String election) {
		this.election = election;
	}

	@Override
	public String election() {
		return this.election;
	}

	@Override
	public void onElected(Leadership leadership) throws InterruptedException {
		enter();
		this.thread = Thread.currentThread();
		this.events.add("elected " + leadership.term());
		this.entered.countDown();
		try {
			lead(leadership);
		}
		finally {
			leave();
		}
	}

	@Override
	public void onDefeated(Leadership leadership) {
		enter();
		this.events.add("defeated " + leadership.term() + leadership.lossReason().map((why) -> " " + why).orElse(""));
		leave();
	}

	/** Called in {@code onElected}. */
	protected void lead(Leadership leadership) throws InterruptedException {
	}

	/** Wait until the candidate was elected for the first time. */
	void awaitEntered() throws InterruptedException {
		this.entered.await();
	}

	public List<String> events() {
		return this.events;
	}

	/** Return the thread that last called {@code onElected}. */
	public Thread thread() {
		return this.thread;
	}

	@Override
	public String toString() {
		return "of the test";
	}

	private synchronized void enter() {
		if (this.inside++ > 0) {
			this.events.add("overlapping");
		}
		if (Thread.currentThread().isInterrupted()) {
			this.events.add("begins interrupted");
		}
	}

	private synchronized void leave() {
		this.inside--;
	}

	/** Leads until it is interrupted. */
	static class Blocking extends RecordingCandidate {

		Blocking(String election) {
			super(election);
		}

		@Override
		protected void lead(Leadership leadership) throws InterruptedException {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				events().add("interrupted");
				throw ex;
			}
		}

	}

	/** Leads until let go, and ignores interrupts. */
	static class Stubborn extends RecordingCandidate {

		private final CountDownLatch letGo = new CountDownLatch(1);

		Stubborn(String election) {
			super(election);
		}

		@Override
		protected void lead(Leadership leadership) {
			boolean interrupted = false;
			while (this.letGo.getCount() > 0) {
				try {
					this.letGo.await();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

		void letGo() {
			this.letGo.countDown();
		}

	}

	/** Works until it is told of its defeat, and notes whether calls are let in then. */
	static class Bound extends RecordingCandidate implements BoundCandidate {

		Bound(String election) {
			super(election);
		}

		@Override
		public void onDefeated(Leadership leadership) {
			try (GatedCall call = ((Term) leadership).enter(false)) {
				events().add("stopped while calls are " + ((call != null) ? "let in" : "refused"));
			}
		}

		@Override
		public ComponentStatus status() {
			return new ComponentStatus("bound", ComponentStatus.State.RUNNING, 0, null);
		}

	}

}
