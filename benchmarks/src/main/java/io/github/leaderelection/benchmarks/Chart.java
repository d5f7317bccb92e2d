package io.github.leaderelection.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A bar chart in SVG. It has its own background, so it can be read on pages of any color.
 */
final class Chart {

	private static final List<String> COLOURS = List.of("#0969da", "#bf8700", "#8250df", "#1a7f37");

	private static final int WIDTH = 860;

	private static final int LEFT = 300;

	private static final int LONGEST = 460;

	private static final int THICKNESS = 18;

	private static final int GAP = 12;

	private static final int TOP = 66;

	/** Values that differ by more are shown on a logarithmic scale. */
	private static final double LARGEST_LINEAR_RATIO = 30;

	private final List<Group> groups = new ArrayList<>();

	private final String title;

	private final List<String> series;

	/**
	 * Create a chart without bars.
	 * @param title the title, with the unit
	 * @param series the names of the bars in each group
	 */
	Chart(String title, List<String> series) {
		this.title = title;
		this.series = series;
	}

	/**
	 * Add bars below the others.
	 * @param label the label of the group
	 * @param values one for each of the series; NaN where there is none
	 */
	void add(String label, double... values) {
		this.groups.add(new Group(label, values));
	}

	String title() {
		return this.title;
	}

	String svg() {
		Scale scale = scale();
		int height = TOP + this.groups.size() * (this.series.size() * THICKNESS + GAP) + GAP;
		StringBuilder svg = new StringBuilder();
		svg.append("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" \
				font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">
				<title>%3$s</title>
				<rect x="0.5" y="0.5" width="%4$d" height="%5$d" rx="6" fill="#ffffff" stroke="#d0d7de"/>
				""".formatted(WIDTH, height, escape(this.title), WIDTH - 1, height - 1));
		text(svg, 16, 26, "start\" font-size=\"15\" font-weight=\"600",
				this.title + (scale.logarithmic() ? ", logarithmic scale" : ""));
		legend(svg);
		int y = TOP;
		for (Group group : this.groups) {
			text(svg, LEFT - 10, y + this.series.size() * THICKNESS / 2 + 5, "end", group.label());
			for (int i = 0; i < this.series.size(); i++) {
				double value = group.values()[i];
				int length = Double.isNaN(value) ? 0 : scale.length(value);
				rectangle(svg, LEFT, y + 1, length, i);
				text(svg, LEFT + length + 6, y + THICKNESS - 5, "start",
						Double.isNaN(value) ? "not measured" : Samples.format(value));
				y += THICKNESS;
			}
			y += GAP;
		}
		return svg.append("</svg>\n").toString();
	}

	private void legend(StringBuilder svg) {
		int x = 16;
		for (int i = 0; i < this.series.size(); i++) {
			rectangle(svg, x, 38, 12, i);
			text(svg, x + 18, 51, "start", this.series.get(i));
			x += 40 + 8 * this.series.get(i).length();
		}
	}

	private static void rectangle(StringBuilder svg, int x, int y, int width, int series) {
		svg.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n".formatted(x, y, width,
				THICKNESS - 3, COLOURS.get(series)));
	}

	private static void text(StringBuilder svg, int x, int y, String anchor, String text) {
		svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n".formatted(x, y, anchor, escape(text)));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace("`", "");
	}

	private Scale scale() {
		double[] values = this.groups.stream()
			.flatMapToDouble((group) -> Arrays.stream(group.values()))
			.filter((value) -> value > 0)
			.sorted()
			.toArray();
		if (values.length == 0) {
			return new Scale(false, 0, 1);
		}
		double least = values[0];
		double most = values[values.length - 1];
		boolean logarithmic = most / least > LARGEST_LINEAR_RATIO;
		// Keeps the shortest bar visible.
		return new Scale(logarithmic, Math.log10(least) - 0.3, logarithmic ? Math.log10(most) : most);
	}

	@SuppressWarnings("ArrayRecordComponent")
	private record Group(String label, double[] values) {

	}

	private record Scale(boolean logarithmic, double least, double most) {

		int length(double value) {
			double share = this.logarithmic ? (Math.log10(value) - this.least) / (this.most - this.least)
					: value / this.most;
			return (int) Math.max(1, Math.round(share * LONGEST));
		}

	}

}
