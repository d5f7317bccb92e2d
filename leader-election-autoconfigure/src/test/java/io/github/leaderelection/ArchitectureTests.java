package io.github.leaderelection;

import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the directions in which packages may depend on each other.
 */
class ArchitectureTests {

	private static final String ROOT = "io.github.leaderelection";

	private static final JavaClasses MAIN = new ClassFileImporter().withImportOption(ArchitectureTests::isMain)
		.importPackages(ROOT);

	private static final ArchRule DEPENDENCIES_POINT_INWARD = layeredArchitecture()
		.consideringOnlyDependenciesInLayers()
		.withOptionalLayers(true)
		.layer("root")
		.definedBy(ROOT)
		.layer("store")
		.definedBy(ROOT + ".store..")
		.layer("protocol")
		.definedBy(ROOT + ".protocol..")
		.layer("engine")
		.definedBy(ROOT + ".engine..")
		.layer("job")
		.definedBy(ROOT + ".job..")
		.layer("lock")
		.definedBy(ROOT + ".lock..")
		.layer("mongodb")
		.definedBy(ROOT + ".mongodb..")
		.layer("fence")
		.definedBy(ROOT + ".fence..")
		.layer("spring")
		.definedBy(ROOT + ".spring..")
		.layer("actuate")
		.definedBy(ROOT + ".actuate..")
		.layer("health")
		.definedBy(ROOT + ".health..")
		.layer("metrics")
		.definedBy(ROOT + ".metrics..")
		.layer("integration")
		.definedBy(ROOT + ".integration..")
		.layer("web")
		.definedBy(ROOT + ".web..")
		.layer("autoconfigure")
		.definedBy(ROOT + ".autoconfigure..")
		.whereLayer("autoconfigure")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("spring")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("fence")
		.mayOnlyBeAccessedByLayers("autoconfigure", "spring")
		.whereLayer("actuate")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("health")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("metrics")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("integration")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("web")
		.mayOnlyBeAccessedByLayers("autoconfigure")
		.whereLayer("mongodb")
		.mayOnlyBeAccessedByLayers("autoconfigure", "fence")
		.whereLayer("job")
		.mayOnlyBeAccessedByLayers("autoconfigure", "spring", "actuate", "metrics")
		.whereLayer("lock")
		.mayOnlyBeAccessedByLayers("autoconfigure", "integration", "metrics", "web")
		.whereLayer("engine")
		.mayOnlyBeAccessedByLayers("autoconfigure", "spring", "actuate", "health", "metrics", "mongodb", "job", "lock",
				"integration")
		.whereLayer("protocol")
		.mayOnlyBeAccessedByLayers("engine", "job", "lock")
		.whereLayer("store")
		.mayOnlyBeAccessedByLayers("autoconfigure", "spring", "actuate", "health", "metrics", "mongodb", "engine",
				"protocol", "job", "lock", "web");

	private static final ArchRule ENGINE_HAS_NO_FRAMEWORK = onlyDependOn(ROOT + ".engine..", ROOT, ROOT + ".store..",
			ROOT + ".protocol..", ROOT + ".engine..", "java..", "org.jspecify..", "org.slf4j..");

	static List<ArchRule> frameworks() {
		return List.of(ENGINE_HAS_NO_FRAMEWORK, onlyDependOn(ROOT, ROOT, "java..", "org.jspecify.."),
				onlyDependOn(ROOT + ".store..", ROOT, ROOT + ".store..", "java..", "org.jspecify.."),
				// It has no log, no clock and no thread either.
				onlyDependOn(ROOT + ".protocol..", ROOT, ROOT + ".store..", ROOT + ".protocol..", "java.lang..",
						"java.time..", "java.util", "java.util.function..", "org.jspecify.."),
				onlyDependOn(ROOT + ".job..", ROOT, ROOT + ".store..", ROOT + ".engine..", ROOT + ".job..", "java..",
						"org.jspecify..", "org.slf4j.."),
				onlyDependOn(ROOT + ".lock..", ROOT, ROOT + ".store..", ROOT + ".engine..", ROOT + ".lock..", "java..",
						"org.jspecify..", "org.slf4j.."),
				onlyDependOn(ROOT + ".mongodb..", ROOT, ROOT + ".store..", ROOT + ".engine..", ROOT + ".mongodb..",
						"java..", "org.jspecify..", "org.slf4j..", "com.mongodb..", "org.bson..",
						"org.reactivestreams..", "reactor.."));
	}

	@ParameterizedTest
	@MethodSource("frameworks")
	void packageDependsOnNoOtherFramework(ArchRule rule) {
		rule.check(MAIN);
	}

	@Test
	void dependenciesPointInward() {
		DEPENDENCIES_POINT_INWARD.check(MAIN);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(MAIN);
	}

	@Test
	void protocolIsPure() {
		noClasses().that()
			.resideInAPackage(ROOT + ".protocol..")
			.should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Thread.class)
			.check(MAIN);
	}

	@Test
	void allModulesAreChecked() {
		assertThat(MAIN).extracting(JavaClass::getPackageName)
			.contains(ROOT, ROOT + ".store", ROOT + ".engine", ROOT + ".protocol", ROOT + ".job", ROOT + ".mongodb",
					ROOT + ".spring")
			.doesNotContain(ROOT + ".docs");
		assertThat(MAIN).extracting(JavaClass::getSimpleName).doesNotContain("TestTerm", "RecordedCommands");
	}

	/** Other modules' tests are directories or, where they are packaged, archives. */
	static boolean isMain(Location location) {
		return ImportOption.Predefined.DO_NOT_INCLUDE_TESTS.includes(location) && !location.contains("-tests.jar");
	}

	private static ArchRule onlyDependOn(String packages, String... allowed) {
		return classes().that()
			.resideInAPackage(packages)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(allowed);
	}

}
