package io.github.leaderelection.spring;

import java.util.Optional;
import java.util.function.Supplier;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.other.ForeignHeir;
import io.github.leaderelection.spring.other.PublicTables;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of methods that a bean inherits: whichever way they are called, they meet the
 * gate.
 */
class LeaderOnlyInheritanceTests {

	private final ApplicationContextRunner runner = GateRunner.follower();

	@Test
	void methodsOfAPackagePrivateSuperclassAreGatedByTheAnnotatedSubclass() {
		this.runner.withBean(Annotated.class).run((context) -> {
			Annotated tables = context.getBean(Annotated.class);
			assertThat(tables.count()).isNull();
			assertThat(((PublicTables) tables).count()).isNull();
			assertThat(tables.clean()).isNull();
			assertThat(GateRunner.gate(context).asked()).containsExactly("all", "all", "tables");
		});
	}

	@Test
	void lambdaIsGatedByAGenericInterface() {
		this.runner.withBean(TextMapping.class, () -> (text) -> text).run((context) -> {
			TextMapping mapping = context.getBean(TextMapping.class);
			assertThat(mapping.apply("text")).isNull();
			assertThat(((Mapping<String>) mapping).apply("text")).isNull();
		});
	}

	@Test
	void lambdaThatIsSkippedReturnsWhatItsInterfaceAsksFor() {
		this.runner.withBean(OptionalSource.class, () -> () -> Optional.of("text")).run((context) -> {
			OptionalSource source = context.getBean(OptionalSource.class);
			assertThat(source.get()).isEmpty();
			assertThat(((Supplier<?>) source).get()).isEqualTo(Optional.empty());
		});
	}

	@Test
	void implementationsOwnAnnotationIsNearest() {
		this.runner.withBean(NearestFirst.class).run((context) -> {
			context.getBean(NearestFirst.class).print();
			assertThat(GateRunner.gate(context).asked()).containsExactly("own");
		});
	}

	@Test
	void methodThatAProxyTakesForAnotherIsRefused() {
		this.runner.withBean(Confusing.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageContaining(
					"can't be enforced: the bean's proxy can't tell it from protected java.lang.String "
							+ "io.github.leaderelection.spring.other.ForeignHeir.local(). "
							+ "Give one of the two another name"));
	}

	@LeaderOnly("all")
	static class Annotated extends PublicTables {

	}

	interface Printable {

		@LeaderOnly("printable")
		String print();

	}

	static class OwnAnnotation {

		@LeaderOnly("own")
		public String print() {
			return "printed";
		}

	}

	static class NearestFirst extends OwnAnnotation implements Printable {

	}

	interface Mapping<T> {

		@LeaderOnly("mapping")
		Object apply(T value);

	}

	interface TextMapping extends Mapping<String> {

		@Override
		Object apply(String value);

	}

	interface OptionalSource extends Supplier<Optional<String>> {

		@Override
		@LeaderOnly("source")
		Optional<String> get();

	}

	static class Confusing extends ForeignHeir {

	}

}
