package io.github.leaderelection.spring;

import java.util.Optional;
import java.util.function.Function;
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
	void publicMethodOfAPackagePrivateSuperclassIsGated() {
		this.runner.withBean(PublicTables.class).run((context) -> {
			PublicTables tables = context.getBean(PublicTables.class);
			assertThat(tables.clean()).isNull();
			assertThat(tables.count()).isEqualTo("counted");
			GateRunner.gate(context).leading("tables");
			assertThat(tables.clean()).isEqualTo("cleaned");
		});
	}

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
	void methodOfAnInterfaceIsGatedThoughItsImplementationDoesNotKnowTheInterface() {
		this.runner.withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			assertThat(report.print()).isNull();
			assertThat(((Printer) report).print()).isNull();
			assertThat(((Printable) report).print()).isNull();
			GateRunner.gate(context).leading("printable");
			assertThat(report.print()).isEqualTo("printed");
		});
	}

	@Test
	void methodOfAnInterfaceIsGatedThoughItsImplementationDoesNotKnowTheInterfaceBehindAnInterfaceProxy() {
		this.runner.withBean(Report.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context.getBean(Printable.class).print()).isNull());
	}

	@Test
	void methodIsGatedByWhicheverInterfaceDeclaresIt() {
		this.runner.withBean(Twice.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(((Plain) context.getBean(Printable.class)).print()).isNull());
	}

	@Test
	void bridgeIsGatedAsWhatItLeadsTo() {
		this.runner.withBean(Upper.class).run((context) -> {
			Upper upper = context.getBean(Upper.class);
			Function<String, Object> function = upper::apply;
			assertThat(function.apply("text")).isNull();
			assertThat(((Mapping<String>) upper).apply("text")).isNull();
			assertThat(upper.other("text")).isEqualTo("other");
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

	@Test
	void overloadIsNotGated() {
		this.runner.withBean(Overloads.class).run((context) -> {
			Overloads overloads = context.getBean(Overloads.class);
			assertThat(overloads.apply("text")).isNull();
			assertThat(overloads.apply((Object) "text")).isEqualTo("object");
		});
	}

	@LeaderOnly("all")
	static class Annotated extends PublicTables {

	}

	interface Printable {

		@LeaderOnly("printable")
		String print();

	}

	interface Plain {

		String print();

	}

	static class Printer {

		public String print() {
			return "printed";
		}

	}

	static class Report extends Printer implements Printable {

	}

	static class Twice extends Printer implements Plain, Printable {

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

	static class Upper implements Mapping<String> {

		@Override
		public String apply(String value) {
			return value;
		}

		public String other(String value) {
			return "other";
		}

	}

	interface OptionalSource extends Supplier<Optional<String>> {

		@Override
		@LeaderOnly("source")
		Optional<String> get();

	}

	static class Confusing extends ForeignHeir {

	}

	static class Overloads {

		@LeaderOnly("overload")
		public String apply(String value) {
			return "string";
		}

		public String apply(Object value) {
			return "object";
		}

	}

}
