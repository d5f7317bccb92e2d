package io.github.leaderelection.faults;

/**
 * A fault that was injected. Times are those of {@link System#nanoTime()}.
 *
 * @param round the round; faults of the same round overlap
 * @param kind what went wrong
 * @param target whom it hit, the name of a candidate for instance
 * @param begun just before it began
 * @param healing when its end began
 * @param healed when all was as it should be, MongoDB's primary included
 */
record FaultRecord(int round, FaultKind kind, String target, long begun, long healing, long healed) {

	static FaultRecord parse(String line) {
		String[] words = line.split(" ");
		return new FaultRecord(Integer.parseInt(words[2]), FaultKind.valueOf(words[3]), words[4],
				Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7]));
	}

	void writeTo(HistoryWriter writer) {
		writer.write("fault", this.round, this.kind.name(), this.target, this.begun, this.healing, this.healed);
	}

}
