package io.github.leaderelection.sample;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code sample-app/run}: it must not use a directory that others control.
 */
@DisabledOnOs(OS.WINDOWS)
class RunScriptTests {

	@TempDir
	private Path temporary;

	@Test
	void aCommonDirectoryThatOthersCanWriteToIsRefused() throws Exception {
		for (String mode : List.of("rwxrwx---", "rwx----w-", "rwxrwxrwx")) {
			Path common = common(mode);
			assertThat(run())
				.contains(common + " can be written to by others: remove it, or set TMPDIR to a directory of your own");
			Files.delete(common);
		}
	}

	@Test
	void aCommonDirectoryThatIsALinkIsRefused() throws Exception {
		Path elsewhere = Files.createDirectory(this.temporary.resolve("elsewhere"));
		Path common = common("rwx------");
		Files.delete(common);
		Files.createSymbolicLink(common, elsewhere);
		assertThat(run()).contains(common + " is in the way");
	}

	/** Where only this user has access, the script gets as far as looking for Java. */
	@Test
	void anOwnCommonDirectoryIsUsed() throws Exception {
		common("rwx------");
		assertThat(run()).doesNotContain("TMPDIR");
	}

	private Path common(String mode) throws Exception {
		Process id = new ProcessBuilder("id", "-u").start();
		String uid = new String(id.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
		Path common = Files.createDirectory(this.temporary.resolve("leader-election-sample-" + uid));
		return Files.setPosixFilePermissions(common, PosixFilePermissions.fromString(mode));
	}

	private String run() throws Exception {
		ProcessBuilder builder = new ProcessBuilder(Path.of("run").toAbsolutePath().toString())
			.redirectErrorStream(true);
		builder.environment().put("TMPDIR", this.temporary.toString());
		// Without Java the script stops before it builds or starts anything.
		builder.environment().put("JAVA_HOME", "/nowhere");
		builder.environment().put("PATH", "/usr/bin:/bin");
		Process process = builder.start();
		process.getOutputStream().close();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).isNotZero();
		return output;
	}

}
