package io.github.leaderelection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.github.leaderelection.ModuleGraph.Dependency;
import io.github.leaderelection.ModuleGraph.Module;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the dependencies of the modules.
 */
class ModuleGraphTests {

	private static final String CORE = "leader-election-core";

	private static final String BOOT = "org.springframework.boot";

	private static final JavaClasses MAIN = new ClassFileImporter().withImportOption(ArchitectureTests::isMain)
		.importPackages("io.github.leaderelection");

	private final ModuleGraph graph = ModuleGraph.read();

	@Test
	void contributingGuideShowsTheGraph() throws IOException {
		assertThat(Path.of("../CONTRIBUTING.md")).content().contains("```mermaid\n" + this.graph.draw() + "```\n");
		assertThat(Files.readString(Path.of("../CONTRIBUTING.md")).split("```mermaid", -1)).hasSize(2);
	}

	@Test
	void codeUsesExactlyTheDeclaredDependencies() {
		this.graph.modules().forEach((name, module) -> {
			Set<String> used = this.graph.used(name);
			assertThat(this.graph.reachable(name)).as("on what %s depends", name).containsAll(used);
			if (!module.packages().isEmpty()) {
				assertThat(this.graph.modules().values())
					.filteredOn((other) -> module.dependsOn(other.name()) && !other.packages().isEmpty())
					.allSatisfy((other) -> assertThat(used).as("what %s uses", name).contains(other.name()));
			}
		});
	}

	@Test
	void everyPackageIsInOneModule() {
		assertThat(this.graph.modules().values().stream().flatMap((module) -> module.packages().stream()))
			.contains("io.github.leaderelection", "io.github.leaderelection.mongodb")
			.doesNotHaveDuplicates();
	}

	@Test
	void coreDependsOnNoFramework() {
		Module core = this.graph.modules().get(CORE);
		assertThat(core.dependencies()).containsExactlyInAnyOrder(new Dependency("org.slf4j", "slf4j-api", false),
				new Dependency("org.jspecify", "jspecify", false));
		assertThat(core.packages()).contains("io.github.leaderelection", "io.github.leaderelection.engine");
	}

	@Test
	void springDependsOnNoSpringBoot() {
		Module spring = this.graph.modules().get("leader-election-spring");
		assertThat(spring.dependencies()).extracting(Dependency::group).doesNotContain(BOOT);
		ArchRule rule = noClasses().that()
			.resideInAnyPackage(spring.packages().toArray(String[]::new))
			.should()
			.dependOnClassesThat()
			.resideInAPackage(BOOT + "..");
		rule.check(MAIN);
		assertThat(spring.packages()).contains("io.github.leaderelection.spring", "io.github.leaderelection.fence");
	}

	@Test
	void onlyAutoconfigureRequiresSpringBoot() {
		assertThat(this.graph.modules().values()).filteredOn(Module::published)
			.filteredOn((module) -> !module.packages().isEmpty())
			.filteredOn((module) -> module.dependencies()
				.stream()
				.anyMatch((dependency) -> dependency.group().equals(BOOT) && !dependency.optional()))
			.extracting(Module::name)
			.containsExactly("leader-election-autoconfigure");
	}

	@Test
	void bomManagesAllPublishedModules() {
		String bom = "leader-election-bom";
		assertThat(ModuleGraph.managed(bom)).containsExactlyInAnyOrderElementsOf(this.graph.modules()
			.values()
			.stream()
			.filter((module) -> module.published() && !module.name().equals(bom))
			.map(Module::name)
			.toList());
	}

	@Test
	void publishedModulesNeedOnlyPublishedModules() {
		this.graph.modules()
			.values()
			.stream()
			.filter(Module::published)
			.forEach((module) -> assertThat(this.graph.reachable(module.name())).as("what %s needs", module.name())
				.allMatch((name) -> this.graph.modules().get(name).published()));
	}

	@Test
	void mongodbDependsOnNoSpring() {
		assertThat(this.graph.modules().get("leader-election-mongodb").dependencies()).extracting(Dependency::artifact)
			.containsExactlyInAnyOrder(CORE, "mongodb-driver-sync", "mongodb-driver-reactivestreams", "reactor-core",
					"slf4j-api", "jspecify");
	}

}
