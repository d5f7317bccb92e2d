package io.github.leaderelection.job;

/**
 * Identifies a job.
 *
 * @param election the election whose leader runs the job
 * @param job the name of the job in that election; contains no slash
 */
public record JobKey(String election, String job) {

	/**
	 * Return the id of the record of the job.
	 * @return the id
	 */
	public String id() {
		return this.election + "/" + this.job;
	}

	@Override
	public String toString() {
		return id();
	}

}
