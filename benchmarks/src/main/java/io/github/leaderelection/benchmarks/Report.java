package io.github.leaderelection.benchmarks;

import java.util.List;

/**
 * A page of Markdown that grows.
 */
final class Report {

	private final StringBuilder text = new StringBuilder();

	void title(String title) {
		this.text.append("## ").append(title).append("\n\n");
	}

	void paragraph(String paragraph) {
		this.text.append(paragraph.strip()).append("\n\n");
	}

	void table(List<String> titles, List<List<String>> rows) {
		row(titles);
		row(titles.stream().map((title) -> "---").toList());
		rows.forEach(this::row);
		this.text.append('\n');
	}

	private void row(List<String> cells) {
		this.text.append("| ").append(String.join(" | ", cells)).append(" |\n");
	}

	@Override
	public String toString() {
		return this.text.toString();
	}

}
