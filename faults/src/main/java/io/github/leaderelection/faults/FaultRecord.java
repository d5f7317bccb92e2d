package io.github.leaderelection.faults;

/**
 * A fault that was injected. Times are those of {@link System#nanoTime()}.
 *
 * @param round the round; faults of the same round overlap
 * @param kind the kind of fault
 * @param target what it hit, for instance the name of a candidate
 * @param election the only election that it affected, or {@value #ALL}
 * @param begun a time just before it began
 * @param healing when its healing began
 * @param healed when it was healed and the servers were working again
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
