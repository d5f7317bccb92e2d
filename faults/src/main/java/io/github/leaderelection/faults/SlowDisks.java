package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.launcher.SupervisedProcess;

import org.springframework.util.Assert;

/**
 * Delays each sync of some processes, and of their child processes, by 300 ms.
 */
final class SlowDisks {

	private final SupervisedProcess tracer;

	SlowDisks(List<Long> processes, Path directory) {
		List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "/dev/null", "-e",
				"trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_enter=300000"));
		processes.forEach((process) -> command.addAll(List.of("-p", process.toString())));
		this.tracer = SupervisedProcess.start(command, directory.resolve("strace.log"));
	}

	void mend() {
		boolean slow = this.tracer.isAlive();
		this.tracer.kill();
		Assert.state(slow, "The disks were not slow");
	}

}
