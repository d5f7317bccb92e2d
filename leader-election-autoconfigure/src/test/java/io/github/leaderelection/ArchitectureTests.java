package io.github.leaderelection;

import java.util.List;
import java.util.Map;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the directions in which packages may depend on each other.
 */
class ArchitectureTests {

	private static final String ROOT = "io.github.leaderelection";

	private static final JavaClasses MAIN = new ClassFileImporter().withImportOption(ArchitectureTests::isMain)
		.importPackages(ROOT);

	/** Each layer, and those that may depend on it. */
	private static final Map<String, List<String>> DEPENDENTS = Map.ofEntries(entry("autoconfigure", List.of()),
			entry("spring", List.of("autoconfigure")), entry("fence", List.of("autoconfigure", "spring")),
			entry("actuate", List.of("autoconfigure")), entry("health", List.of("autoconfigure")),
			entry("metrics", List.of("autoconfigure")), entry("integration", List.of("autoconfigure")),
			entry("web", List.of("autoconfigure")), entry("mongodb", List.of("autoconfigure", "fence")),
			entry("job", List.of("autoconfigure", "spring", "actuate", "metrics")),
			entry("lock", List.of("autoconfigure", "integration", "metrics", "web")),
			entry("engine",
					List.of("autoconfigure", "spring", "fence", "actuate", "health", "metrics", "mongodb", "job",
							"lock", "integration")),
			entry("protocol", List.of("engine", "job", "lock")), entry("store", List.of("autoconfigure", "spring",
					"actuate", "health", "metrics", "mongodb", "engine", "protocol", "job", "lock", "web")));

	static List<ArchRule> frameworks() {
		return List.of(onlyDependOn(ROOT, ROOT, "java..", "org.jspecify.."),
				onlyDependOn(ROOT + ".engine..", ROOT, ROOT + ".store..", ROOT + ".protocol..", ROOT + ".engine..",
						"java..", "org.jspecify..", "org.slf4j.."),
				onlyDependOn(ROOT + ".store..", ROOT, ROOT + ".store..", "java..", "org.jspecify.."),
				// The protocol has no log, clock or thread either.
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
		LayeredArchitecture layers = layeredArchitecture().consideringOnlyDependenciesInLayers()
			.withOptionalLayers(true)
			.layer("root")
			.definedBy(ROOT);
		for (String layer : DEPENDENTS.keySet()) {
			layers = layers.layer(layer).definedBy(ROOT + "." + layer + "..");
		}
		for (String layer : DEPENDENTS.keySet()) {
			String[] dependents = DEPENDENTS.get(layer).toArray(String[]::new);
			layers = (dependents.length == 0) ? layers.whereLayer(layer).mayNotBeAccessedByAnyLayer()
					: layers.whereLayer(layer).mayOnlyBeAccessedByLayers(dependents);
		}
		layers.check(MAIN);
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
