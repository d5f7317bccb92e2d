package io.github.leaderelection.lock;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;

/**
 * What a line needs of elections. Each of these is done sooner or later even if it
 * throws.
 */
interface LineElections {

	/** Let the candidate stand. May throw, and then it does not stand for long. */
	void register(Candidate candidate);

	/** Let the candidate leave. */
	void unregister(Candidate candidate);

	/** Hand over the term, if it is led. */
	void giveUp(Leadership term);

}
