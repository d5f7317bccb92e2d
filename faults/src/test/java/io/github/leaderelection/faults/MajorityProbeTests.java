package io.github.leaderelection.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.leaderelection.faults.Majority.Gap;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MajorityProbe} on three servers.
 */
@Tag("deep")
class MajorityProbeTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	@TempDir
	private Path directory;

	@Test
	void recordsWhenThereIsNoMajority() {
		Path file = this.directory.resolve(History.MAJORITY);
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3);
				MajorityProbe probe = new MajorityProbe(new MongoProbe(mongo.uri()), file)) {
			awaitLast(file, MajorityProbe.ANSWERED);
			long before = System.nanoTime();
			List<MongoNode> two = mongo.nodes().subList(0, 2);
			two.forEach(MongoNode::pause);
			long from = System.nanoTime();
			awaitLast(file, "silent");
			long to = System.nanoTime();
			two.forEach(MongoNode::resume);
			awaitLast(file, MajorityProbe.ANSWERED);
			long after = System.nanoTime();
			List<Gap> gaps = Majority.parse(lines(file)).gaps();
			// It may begin earlier: a write that was under way is answered late, too.
			assertThat(gaps).anySatisfy((gap) -> {
				assertThat(gap.from()).isLessThan(to);
				assertThat(gap.to()).isBetween(from, after);
			});
			assertThat(Majority.parse(lines(file)).longestNanos(before, after)).isLessThan(after - before);
		}
	}

	private static void awaitLast(Path file, String event) {
		long now = System.nanoTime();
		await().atMost(SOON).until(() -> {
			List<String> lines = lines(file);
			String[] last = lines.isEmpty() ? new String[] { "", "", "0" } : lines.get(lines.size() - 1).split(" ");
			return last[1].equals(event) && Long.parseLong(last[2]) - now > 0;
		});
	}

	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
