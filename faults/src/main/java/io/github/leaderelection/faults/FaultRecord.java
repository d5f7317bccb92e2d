package io.github.leaderelection.faults;

/**
 * A fault that was injected. Times are those of {@link System#nanoTime()}.
 *
 * @param round the round; faults of the same round overlap
 * @param kind what went wrong
 * @param target whom it hit, the name of a candidate for instance
 * @param election the only election that it was about, or {@value #ALL}
 * @param begun just before it began
 * @param healing when its end began
 * @param healed when all was as it should be, the servers included
 */
record FaultRecord(int round, FaultKind kind, String target, String election, long begun, long healing, long healed) {

	static final String ALL = "-";

	static FaultRecord parse(String line) {
		String[] words = line.split(" ", -1);
		return new FaultRecord(Integer.parseInt(words[2]), FaultKind.valueOf(words[3]), words[4], words[5],
				Long.parseLong(words[6]), Long.parseLong(words[7]), Long.parseLong(words[8]));
	}

	boolean affects(String name) {
		return this.election.equals(ALL) || this.election.equals(name);
	}

	void writeTo(HistoryWriter writer) {
		writer.write("fault", this.round, this.kind.name(), this.target, this.election, this.begun, this.healing,
				this.healed);
	}

}
